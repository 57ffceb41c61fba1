package diag

// NameOf returns the name of a transport for its server, or "" if it has none.
//
//go:noinline
func NameOf(transport any) string {
	if t, ok := transport.(interface{ String() string }); ok {
		return t.String()
	}
	return ""
}
