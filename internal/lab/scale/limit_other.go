//go:build !linux

package main

import "errors"

func limitDescriptors(int) error { return errors.New("scale needs Linux") }
