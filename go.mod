module github.com/stdmcp/stdmcp

go 1.25
