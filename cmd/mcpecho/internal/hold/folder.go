// Package hold keeps a connection to a server in one process, the holder, for the commands
// of others, the callers. A caller has a client of its own, whose transport leads to the
// holder over a Unix socket. The holder makes the same call with its client, which alone
// has the server's ids, progress and questions.
//
// The socket carries JSON-RPC. The holder responds to the first request at once, with its
// version, and to all others when it has a server. Only the user can enter the folder of the socket.
package hold

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	dialTime  = time.Second // for a holder to accept a connection
	maxPath   = 103         // bytes of the path of a socket, on any system
	stateFile = ".state"    // the end of the path of a file, whose text begins with held or ended
	maxState  = 4 << 10     // bytes of it
	held      = "held: "    // begins what About returns of a session that runs, or was killed
	ended     = "ended: "   // begins the reason why the server has ended
)

// A Name is the name of a session, and what the user types to start this program.
type Name struct{ Text, Program string }

// IsName reports whether a session may have this name: a-z, 0-9 and -, which is not the
// first, 32 at most.
func IsName(name string) bool {
	return 0 < len(name) && len(name) <= 32 && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// path returns the path of the session's files, without their ends. With create, it makes
// their folder.
func (n Name) path(create bool) (string, error) {
	dir := folder()
	private := !isReplaceable(dir)
	if create && private {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", failure.Local(err)
		}
	}
	if _, err := os.Lstat(dir); !private || !errors.Is(err, os.ErrNotExist) && !statefile.IsPrivateDir(dir) {
		return "", usage("the folder of the sessions, "+terminal.EscapeName(dir)+", is not private: it must be a folder of yours with the mode 0700 that others cannot replace", "set XDG_RUNTIME_DIR to a folder of yours with the mode 0700")
	}
	return filepath.Join(dir, n.Text), nil
}

// isReplaceable reports whether others may put a folder of theirs in place of one of the
// user, between a check and its use.
func isReplaceable(dir string) bool {
	info, err := os.Stat(filepath.Dir(dir))
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 && info.Mode()&os.ModeSticky == 0
}

func folder() string {
	parent, own := os.Getenv("XDG_RUNTIME_DIR"), "mcpecho"
	if runtime.GOOS == "windows" {
		parent, _ = os.UserCacheDir()
	} else if !filepath.IsAbs(parent) || !statefile.IsPrivateDir(parent) {
		parent, own = os.TempDir(), "mcpecho-"+strconv.Itoa(os.Geteuid())
	}
	return filepath.Join(parent, own)
}

// Names returns the names of the sessions.
func Names() (names []string) {
	path, err := Name{}.path(false)
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".sock")
		if ok && err == nil && IsName(name) && isListening(filepath.Join(path, name)) == nil {
			names = append(names, name)
		}
	}
	return names
}

// About describes a session that runs: an object with the text server, the number pid and,
// if the server has started, the text protocolVersion. It has no secrets.
func (n Name) About() []byte {
	path, err := n.path(false)
	if err != nil {
		return nil
	}
	return []byte(read(path, held))
}

// read returns the text of the session's file if it begins with what, or "".
func read(path, what string) string {
	text, _ := statefile.Read(path+stateFile, maxState, true)
	if after, ok := strings.CutPrefix(string(text), what); ok {
		return after
	}
	return ""
}

func isListening(path string) error {
	conn, err := net.DialTimeout("unix", path+".sock", dialTime)
	if err == nil {
		err = conn.Close()
	}
	return err
}

// listen returns the listener of a session, in place of a socket whose holder was killed.
func (n Name) listen(ctx context.Context) (l net.Listener, path string, err error) {
	if path, err = n.path(true); err != nil {
		return nil, "", err
	}
	if len(path)+len(".sock") > maxPath {
		return nil, "", usage("the path of the socket, "+terminal.EscapeName(path)+".sock, is longer than a system allows", "use a shorter name, or set XDG_RUNTIME_DIR to another folder of yours with the mode 0700")
	}
	unlock, err := statefile.Lock(ctx, filepath.Join(filepath.Dir(path), "lock"))
	if err != nil {
		return nil, "", failure.Local(err)
	}
	defer unlock()
	if err := isListening(path); err == nil {
		return nil, "", usage("there is a session @"+n.Text+" already", "use another name, or end it: "+n.Program+" release "+n.Text)
	} else if httpx.IsRefused(err) {
		_ = os.Remove(path + ".sock")
	}
	_ = os.Remove(path + stateFile)
	if l, err = net.Listen("unix", path+".sock"); err != nil {
		return nil, "", failure.Local(err)
	}
	return l, path, nil
}

// lost returns the failure for a session whose holder cannot be reached because of err, or
// has closed the connection.
func (n Name) lost(err error) error {
	path, e := n.path(false)
	if e != nil {
		return e
	}
	if reason := read(path, ended); reason != "" {
		return n.ended(reason, err)
	}
	_, e = os.Lstat(path + ".sock")
	switch {
	case e == nil && (httpx.IsRefused(err) || httpx.IsRefused(isListening(path))):
		return n.ended("its process was killed", err)
	case e == nil:
		return n.ended(err.Error(), err)
	case errors.Is(err, jsonrpc.ErrClosed):
		return n.ended("it was released, or hold was interrupted", err)
	}
	text := "there is no session @" + n.Text + " in " + terminal.EscapeName(filepath.Dir(path))
	if names := Names(); len(names) > 0 {
		text += "; there is @" + strings.Join(names, ", @")
	}
	return usage(text, `"`+n.Program+` help hold" says how to begin one`)
}

// ended returns the failure for a session that has ended for a reason.
func (n Name) ended(reason string, err error) *failure.Error {
	return &failure.Error{Status: failure.Unreachable, Kind: "ended", Message: "the session @" + n.Text + " has ended: " + failure.Indent(reason), Err: err}
}

func usage(message, hint string) error {
	return &failure.Error{Status: failure.Usage, Kind: "usage", Message: message, Hint: hint}
}
