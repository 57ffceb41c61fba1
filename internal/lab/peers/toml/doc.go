// Package toml compares the TOML of mcp/host/config with github.com/BurntSushi/toml:
// what ours accepts among the servers has the same meaning there.
package toml
