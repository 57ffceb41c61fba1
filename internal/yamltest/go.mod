module github.com/stdmcp/stdmcp/internal/yamltest

go 1.25.5

replace github.com/stdmcp/stdmcp => ../..

require (
	github.com/stdmcp/stdmcp v0.0.0-00010101000000-000000000000
	gopkg.in/yaml.v3 v3.0.1
)
