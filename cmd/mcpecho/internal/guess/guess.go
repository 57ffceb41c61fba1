// Package guess finds out what a wrong name of a server was meant to be: a URL, a command
// or a script.
package guess

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/nearest"
)

// URL returns the URL that the user probably meant by text without a valid
// one, or "".
func URL(text string) string {
	text = strings.Trim(text, "<>")
	for _, known := range []string{"http", "https"} { // http;//HOST, http//HOST
		for _, wrong := range []string{"//", ";//"} {
			if rest, ok := strings.CutPrefix(text, known+wrong); ok {
				text = known + "://" + rest
			}
		}
	}
	if port, _, _ := strings.Cut(strings.TrimPrefix(text, ":"), "/"); strings.HasPrefix(text, ":") && port != "" && strings.Trim(port, "0123456789") == "" {
		text = "localhost" + text
	}
	scheme, rest, ok := strings.Cut(text, ":/")
	switch {
	case scheme == "file", scheme == "unix":
		return "" // no host follows
	case !ok || strings.ContainsAny(scheme, "./"):
		scheme, rest = "", text
	default:
		rest = strings.TrimLeft(rest, "/")
	}
	for _, known := range []string{"http", "https"} { // http:HOST, without slashes
		if after, ok := strings.CutPrefix(rest, known+":"); ok && scheme == "" && after != "" && strings.Trim(after, "0123456789") != "" {
			scheme, rest = known, after
		}
	}
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:] // a password does not belong into a URL
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	isPort := port != "" && IsAddress(host)
	local := name == "localhost" || net.ParseIP(name) != nil
	if _, err := os.Stat(text); err == nil || name == "" || scheme == "" && !isPort && !local && !looksLikeHost(name) {
		return ""
	}
	switch scheme {
	case "https", "wss":
		scheme = "https"
	case "http", "ws":
		scheme = "http"
	default:
		if scheme = "https"; local || isPort {
			scheme = "http"
		}
	}
	whole := scheme + "://" + host
	if hasPath {
		whole += "/" + path
	}
	if _, err := httpx.Parse(whole); err != nil {
		return ""
	}
	return whole
}

// IsAddress reports whether s looks like host:port.
func IsAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && notNumber == nil
}

// looksLikeHost reports whether name may be a host name such as example.com, and
// not a file.
func looksLikeHost(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && dot < len(name)-1 && Interpreter(name) == nil && filepath.Ext(name) != ".json" && filepath.Ext(name) != ".toml" &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '.' && r != '-' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
		})
}

// Interpreter returns the command that runs a script or package, or nil.
func Interpreter(name string) []string {
	if strings.HasPrefix(name, "@") && strings.Count(name, "/") == 1 {
		return []string{"npx", "-y", name}
	}
	run := map[string][]string{
		".py": {"python3"}, ".js": {"node"}, ".mjs": {"node"}, ".cjs": {"node"}, ".ts": {"npx", "-y", "tsx"},
		".rb": {"ruby"}, ".sh": {"sh"}, ".jar": {"java", "-jar"}, ".go": {"go", "run"}, ".php": {"php"},
	}[filepath.Ext(name)]
	if run == nil {
		return nil
	}
	return append(slices.Clone(run), name)
}

// launchers are programs that start a server which their arguments name.
var launchers = []string{
	"npx", "bunx", "uvx", "pipx", "node", "deno", "bun", "tsx", "uv", "python", "python3", "ruby", "java", "dotnet", "docker", "podman", "go", "cargo",
}

// NamesServer reports whether words, typed where a server or a command is expected, are
// the command of a server. Of another word that happens to be a program, such as kill,
// the user does not expect that it is started.
func NamesServer(words []string) bool {
	_, words = Environment(words)
	name := words[0]
	if Interpreter(name) != nil {
		return true
	}
	if name == "mcpecho" {
		return slices.Contains(words, "serve")
	}
	if !IsProgram(name) {
		return false
	}
	launched := slices.Contains(launchers, name) && len(words) > 1
	return launched || name != filepath.Base(name) || strings.Contains(name, "mcp") || strings.Contains(name, "server")
}

// CutScript returns the words up to a script or package, and those after it, which the
// user may have typed for mcpecho. Without a script, rest is empty.
func CutScript(words []string) (server, rest []string) {
	for i, word := range words {
		if Interpreter(word) != nil || i == 1 && word == "serve" {
			return words[: i+1 : i+1], words[i+1:]
		}
	}
	return words, nil
}

// Environment returns the flags for the variables that a command begins with, as in
// DEBUG=1 node server.js, and the command without them. It returns no flags if there are
// none, or no command after them.
func Environment(command []string) (flags, server []string) {
	for i, word := range command {
		if key, _, ok := strings.Cut(word, "="); !ok || key == "" || strings.Trim(key, variableLetters) != "" {
			return flags, command[i:]
		}
		flags = append(flags, "-e", word)
	}
	return nil, command
}

const variableLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// IsProgram reports whether name is a program that this machine can start.
func IsProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// Server returns the command that the user probably meant by one that
// cannot be started, or nil.
func Server(server []string) []string {
	first, rest := server[0], server[1:]
	if len(rest) == 0 {
		if words := strings.Fields(first); len(words) > 1 {
			return words // all of it was in quotes
		}
	}
	if run := Interpreter(first); run != nil {
		return append(run, rest...)
	}
	if near := nearest.Names(first, []string{"npx", "node", "uvx", "uv", "python3", "docker", "deno", "bunx", "pipx", "podman"}); len(near) > 0 && near[0] != first {
		return append([]string{near[0]}, rest...)
	}
	return nil
}

// OtherScheme returns the URL with the scheme that the server speaks, according
// to err, or "".
func OtherScheme(target string, err error) string {
	u, e := url.Parse(target)
	if e != nil {
		return ""
	}
	switch text := err.Error(); {
	case u.Scheme == "https" && strings.Contains(text, "speaks plain HTTP"):
		u.Scheme = "http"
	case u.Scheme == "http" && (strings.Contains(text, "speaks TLS") || strings.Contains(text, "HTTP request to an HTTPS server")):
		u.Scheme = "https"
	default:
		return ""
	}
	return httpx.Clean(u)
}
