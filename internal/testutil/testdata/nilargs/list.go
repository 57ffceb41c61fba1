package main

import "reflect"

// TestNilArgumentsDoNotPanic replaces this file with one that names the
// exported functions and types of all public packages.
var (
	functions = map[string]any{}
	types     = map[string]reflect.Type{}
)
