//go:build !linux

package stdio

// awaitExit reports false: only Linux can wait for a child without reaping it. On
// Windows an open handle keeps the pid from being reused.
func awaitExit(int) bool { return false }

type descendant struct{}

func (g group) descendants() []descendant { return nil }

func killDescendants([]descendant) {}
