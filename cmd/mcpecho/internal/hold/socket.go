// Package hold keeps a connection to a server in one process, the holder, for the commands
// of others, the callers. A caller has a client of its own, whose transport leads to the
// holder over a Unix socket. The holder makes the same call with its client, which alone
// has the server's ids, progress and questions.
//
// Both sides first say a line of JSON: their version of mcpecho, what the caller wants, and
// the key of the holder's own errors. JSON-RPC follows.
package hold

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	greetTime = 10 * time.Second // for the first line of a caller
	dialTime  = time.Second      // for a holder to accept a connection
	maxPath   = 103              // bytes of the path of a socket, on any system
	maxReason = 4 << 10          // bytes of the reason why a session has ended
)

// IsName reports whether a session may have this name: a-z, 0-9 and -, 32 at most.
func IsName(name string) bool {
	return 0 < len(name) && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// folder returns the folder of the sockets, which only the user can enter. Without create,
// it may not exist.
func folder(create bool) (string, error) {
	parent, own := os.Getenv("XDG_RUNTIME_DIR"), "mcpecho"
	if runtime.GOOS == "windows" {
		parent, _ = os.UserCacheDir()
	} else if !filepath.IsAbs(parent) || !statefile.IsPrivateDir(parent) {
		parent, own = os.TempDir(), "mcpecho-"+strconv.Itoa(os.Geteuid())
	}
	dir := filepath.Join(parent, own)
	if create {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", failure.Local(err)
		}
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) && !statefile.IsPrivateDir(dir) {
		return "", &failure.Error{Status: failure.Usage, Kind: "file", Message: "the folder of the sessions, " + terminal.EscapeName(dir) + ", is not private: it must be a folder of yours with the mode 0700"}
	}
	return dir, nil
}

// Names returns the names of the sessions.
func Names() (names []string) {
	dir, err := folder(false)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".sock")
		if !ok || err != nil || !IsName(name) {
			continue
		}
		if conn, err := net.DialTimeout("unix", filepath.Join(dir, e.Name()), dialTime); err == nil {
			_ = conn.Close()
			names = append(names, name)
		}
	}
	return names
}

// listen returns the listener of a session, in place of a socket whose holder was killed.
func listen(ctx context.Context, name string) (l net.Listener, path string, err error) {
	dir, err := folder(true)
	if err != nil {
		return nil, "", err
	}
	if path = filepath.Join(dir, name); len(path)+len(".sock") > maxPath {
		return nil, "", &failure.Error{Status: failure.Usage, Kind: "file", Message: "the path of the socket, " + terminal.EscapeName(path) + ".sock, is longer than a system allows", Hint: "use a shorter name, or set XDG_RUNTIME_DIR to another folder of yours with the mode 0700"}
	}
	unlock, err := statefile.Lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return nil, "", failure.Local(err)
	}
	defer unlock()
	if conn, err := net.DialTimeout("unix", path+".sock", dialTime); err == nil {
		_ = conn.Close()
		return nil, "", &failure.Error{Status: failure.Usage, Kind: "usage", Message: "there is a session @" + name + " already", Hint: "use another name, or end it: mcpecho release " + name}
	} else if httpx.IsRefused(err) {
		_ = os.Remove(path + ".sock")
	}
	_ = os.Remove(path + ".ended")
	if l, err = net.Listen("unix", path+".sock"); err != nil {
		return nil, "", failure.Local(err)
	}
	return l, path, nil
}

// dial connects to the holder of a session, and says what the caller wants. It returns the
// holder's first line.
func dial(ctx context.Context, name, wants string) (s *socket, hello []byte, err error) {
	dir, err := folder(false)
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, name)
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path+".sock")
	if err != nil {
		return nil, nil, missing(name, path, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	s = &socket{conn, bufio.NewReader(conn)}
	if err = s.checkPeer(); err == nil {
		_, err = conn.Write(append(greeting("wants", wants), '\n'))
	}
	if err == nil {
		hello, err = s.line()
	}
	switch version := text(hello, "mcpecho"); {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err != nil:
		err = ended(name, "", err)
	case text(hello, "error") != "":
		err = ended(name, text(hello, "error"), nil)
	case wants == "release":
	case version != mcp.Version:
		err = &failure.Error{Status: failure.Usage, Kind: "usage", Message: "the session @" + name + " belongs to mcpecho " + terminal.EscapeLine(version) + ", and this is " + mcp.Version, Hint: "end it, and hold the server with this one: mcpecho release " + name}
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return s, slices.Clone(hello), nil
}

// missing returns the failure for a session without a holder.
func missing(name, path string, err error) error {
	if reason, _ := statefile.Read(path+".ended", maxReason, true); len(reason) > 0 {
		return ended(name, string(reason), err)
	}
	if httpx.IsRefused(err) {
		return ended(name, "its process was killed", err)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return ended(name, "", err)
	}
	text := "there is no session @" + name
	if names := Names(); len(names) > 0 {
		text += "; there is @" + strings.Join(names, ", @")
	}
	return &failure.Error{Status: failure.Usage, Kind: "usage", Message: text, Hint: "to begin one: mcpecho hold " + name + " -- SERVER-COMMAND", Err: err}
}

// ended returns the failure for a session that has ended for a reason, or because of err.
func ended(name, reason string, err error) *failure.Error {
	if reason == "" && err != nil {
		reason = err.Error()
	}
	return &failure.Error{Status: failure.Unreachable, Kind: "ended", Message: "the session @" + name + " has ended: " + failure.Indent(reason), Err: err}
}

// A socket is a connection between a caller and a holder.
type socket struct {
	net.Conn
	r *bufio.Reader
}

func (s *socket) Read(p []byte) (int, error) { return s.r.Read(p) }

// line reads the first line of the other side, which is shorter than the buffer.
func (s *socket) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if err == nil && text(line, "mcpecho") == "" {
		err = errors.New("the other side of the socket is not mcpecho")
	}
	return line, err
}

// checkPeer returns an error if the other side belongs to another account.
func (s *socket) checkPeer() error {
	if uid, known := peerUID(s.Conn); known && uid != os.Geteuid() {
		return errors.New("the other side of the socket belongs to the account with the uid " + strconv.Itoa(uid))
	}
	return nil
}

// greeting returns the first line of a side: its version, and other members.
func greeting(members ...string) []byte {
	b := wire.AppendString(wire.AppendKey([]byte{'{'}, "mcpecho"), mcp.Version)
	for i := 0; i < len(members); i += 2 {
		b = wire.AppendString(wire.AppendKey(b, members[i]), members[i+1])
	}
	return append(b, '}')
}

// text returns the string at a path of an object, or "".
func text(object []byte, path ...string) string {
	r := wire.NewReader(wire.Lookup(object, path...))
	if r.Kind() != wire.String {
		return ""
	}
	return r.String()
}

// Release ends a session, and returns when its server has ended.
func Release(ctx context.Context, name string) error {
	s, _, err := dial(ctx, name, "release")
	if f := (*failure.Error)(nil); errors.As(err, &f) && f.Kind == "ended" {
		l, _, err := listen(ctx, name) // removes what is left of it
		if err == nil {
			err = l.Close()
		}
		return err
	}
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	_, _ = io.Copy(io.Discard, s.r) // until the holder has ended
	_ = s.Close()
	return context.Cause(ctx)
}
