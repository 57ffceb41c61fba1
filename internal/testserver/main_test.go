package testserver

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}
