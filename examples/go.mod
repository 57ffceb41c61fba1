module github.com/stdmcp/stdmcp/examples

go 1.25

require github.com/stdmcp/stdmcp v0.0.0-00010101000000-000000000000

replace github.com/stdmcp/stdmcp => ..
