//go:build !linux

package stdio

type descendant struct{}

func (g group) descendants() []descendant { return nil }

func killDescendants([]descendant) {}
