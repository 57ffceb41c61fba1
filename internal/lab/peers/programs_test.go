package main

import (
	"strings"
	"testing"
)

func TestNewestGo(t *testing.T) {
	for versions, want := range map[string]string{
		"1 1.9.7 1.26.8 1.27rc2 1.27.0 1.27.10 1.27.9 1.28beta1 1.28rc1": "go1.27.10",
		"1.28rc1": "",
		"":        "",
	} {
		if got := newestOf(strings.Fields(versions)); got != want {
			t.Errorf("of %q: have %q, want %q", versions, got, want)
		}
	}
}
