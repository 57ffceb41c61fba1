//go:build !unix

package stdio

import "os"

// direct writes nothing: a write may have to wait here.
type direct struct{}

func (direct) open(*os.File) {}

func (direct) write([]byte) (int, error) { return 0, nil }
