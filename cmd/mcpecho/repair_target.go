package main

import (
	"errors"
	"io/fs"
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
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// configured returns the names of the configured servers that equal name.
func (c *invocation) configured(name string) []string {
	return slices.DeleteFunc(serverNames(config.Load(".", c.flags.config...)), func(known string) bool { return known != name })
}

func serverNames(cfg *config.Config) (names []string) {
	for _, s := range cfg.Servers {
		names = append(names, s.Name)
	}
	return names
}

// repairURL returns the URL that the user probably meant by text without a valid
// one, or "".
func repairURL(text string) string {
	scheme, rest, ok := strings.Cut(text, ":/")
	switch {
	case !ok || strings.ContainsAny(scheme, "./"):
		scheme, rest = "", text
	default:
		rest = strings.TrimLeft(rest, "/")
	}
	host, path, hasPath := strings.Cut(rest, "/")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	isPort := port != "" && isAddress(host)
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

// isAddress reports whether s looks like host:port.
func isAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && notNumber == nil
}

// looksLikeHost reports whether name may be a host name such as example.com, and
// not a file.
func looksLikeHost(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && dot < len(name)-1 && interpreter(name) == nil && filepath.Ext(name) != ".json" && filepath.Ext(name) != ".toml" &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r != '.' && r != '-' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
		})
}

// interpreter returns the command that runs a script or package, or nil.
func interpreter(name string) []string {
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

// isProgram reports whether the user can start name.
func isProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// repairServer returns the command that the user probably meant by one that
// cannot be started, or nil.
func repairServer(server []string) []string {
	first, rest := server[0], server[1:]
	if len(rest) == 0 {
		if words := strings.Fields(first); len(words) > 1 {
			return words // all of it was in quotes
		}
	}
	if run := interpreter(first); run != nil {
		return append(run, rest...)
	}
	if near := nearest.Names(first, []string{"npx", "node", "uvx", "uv", "python3", "docker", "deno", "bunx", "pipx", "podman"}); len(near) > 0 && near[0] != first {
		return append([]string{near[0]}, rest...)
	}
	return nil
}

// explainStart adds to the failure of a server that was started what the user may
// have meant: a command that exists, or a flag of mcpecho before the --.
func (c *invocation) explainStart(err error) error {
	if c.server == nil {
		return err
	}
	f := *classify(err)
	if f.status != statusUnreachable {
		return err
	}
	before, _ := cutServer(c.typed)
	var better []string
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errNotProgram)
	switch server := repairServer(c.server); {
	case missing && server != nil:
		better = append(append(before, "--"), server...)
	case f.kind == "crashed" && !missing:
		ours, theirs := c.ownFlags()
		if len(ours) == 0 {
			return err
		}
		better = append(append(append(before, ours...), "--"), theirs...)
	default:
		return err
	}
	f.hint = "type: " + c.paste(better)
	return &f
}

// ownFlags separates the flags of mcpecho at the end of the server's command.
func (c *invocation) ownFlags() (ours, theirs []string) {
	for i := 1; i < len(c.server); i++ {
		f, _, hasValue := findFlag(c.server[i])
		if f == nil || !slices.Contains(c.command.flags, f.name) || len(f.name) == 1 {
			continue
		}
		end := i + 1
		if f.value != "" && !hasValue {
			end = min(end+1, len(c.server))
		}
		return c.server[i:end], slices.Concat(c.server[:i], c.server[end:])
	}
	return nil, nil
}

// otherScheme returns the URL with the scheme that the server speaks, according
// to err, or "".
func otherScheme(target string, err error) string {
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

// explainEntry returns a failure that says how to correct the configured server,
// or nil.
func (c *invocation) explainEntry(err error) error {
	f := *classify(err)
	if words := strings.Fields(c.entry.Command); len(words) > 1 && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
		args := make([]string, 0, len(words)-1+len(c.entry.Args))
		for _, arg := range slices.Concat(words[1:], c.entry.Args) {
			args = append(args, string(wire.AppendString(nil, arg)))
		}
		f.hint = "in " + c.entry.Source + " write " + string(wire.AppendString([]byte(`"command": `), words[0])) + `, "args": [` + strings.Join(args, ", ") + "]"
		return &f
	}
	if _, e := httpx.Parse(c.entry.URL); e != nil && c.entry.URL != "" {
		if better := repairURL(c.entry.URL); better != "" {
			f.status, f.kind = statusUsage, "configuration"
			f.message = c.entry.Source + ": server " + strconv.Quote(c.entry.Name) + ": " + e.Error()
			f.hint = `write "url": ` + strconv.Quote(httpx.Display(better))
			return &f
		}
	}
	return nil
}
