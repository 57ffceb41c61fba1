// Package model holds the types that the tasks have in common, whichever library
// they are done with.
package model

import "encoding/json"

// A Tool is a tool as a model's provider wants it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Ask asks a model, which may call the tools.
type Ask func(tools []Tool, call func(name string, arguments json.RawMessage) (text string, err error)) error

// A City is what the tool weather receives.
type City struct {
	Name string `json:"name"`
}

// Weather is the result of the tool weather.
type Weather struct {
	Celsius float64 `json:"celsius"`
}
