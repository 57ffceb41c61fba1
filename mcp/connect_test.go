package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// The requests of Connect.
var (
	probed  = []string{"server/discover"}
	session = []string{"initialize", "notifications/initialized"}
	both    = slices.Concat(probed, session)
)

// TestConnectDeterminesEra has a row for each kind of server in the specification
// (2026-07-28 basic/transports/stdio, Backward Compatibility).
func TestConnectDeterminesEra(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server testserver.Options
		took   time.Duration
		want   string
		sent   []string
	}{
		{name: "modern", server: onlyVersion(modern), want: modern, sent: probed},
		{name: "of both eras", want: modern, sent: probed},
		{name: "legacy", server: onlyVersion(legacy), want: legacy, sent: both},
		{name: "the oldest", server: onlyVersion(mcp.ProtocolVersion20241105), want: mcp.ProtocolVersion20241105, sent: both},
		{name: "refuses the parameters", server: testserver.Options{Fault: "discover-invalid-params"}, want: legacy, sent: both},
		{name: "refuses with an error of its own", server: testserver.Options{Fault: "discover-server-error"}, want: legacy, sent: both},
		{name: "answers something else", server: testserver.Options{Fault: "discover-odd-result"}, want: legacy, sent: both},
		{name: "silent", server: testserver.Options{Fault: "discover-silent"}, took: time.Second, want: legacy, sent: both},
		{name: "modern but slow", server: testserver.Options{Fault: "discover-slow", Delay: 600 * time.Millisecond},
			took: 600 * time.Millisecond, want: modern, sent: probed},
		{name: "a later version beside a legacy one",
			server: testserver.Options{ProtocolVersions: []string{"2027-01-01", mcp.ProtocolVersion20250618}}, want: mcp.ProtocolVersion20250618, sent: both},
		{name: "modern but slower than the probe, and refuses initialize",
			server: testserver.Options{ProtocolVersions: []string{modern}, Fault: "discover-slow", Delay: 5 * time.Second},
			took:   5 * time.Second, want: modern, sent: []string{"server/discover", "initialize", "server/discover"}},
		{name: "of both eras but slower than the probe",
			server: testserver.Options{Fault: "discover-slow", Delay: 5 * time.Second},
			took:   time.Second, want: legacy, sent: both},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testserver.New(&tt.server)
				var c *mcp.Client
				wantDuration(t, tt.took, func() { c = connect(t, s, nil) })
				if got := c.Server().ProtocolVersion; got != tt.want {
					t.Errorf("version %s, want %s", got, tt.want)
				}
				if _, err := c.CallTool(t.Context(), "add", map[string]any{"a": 1, "b": 2}); err != nil {
					t.Error(err)
				}
				if got, want := receivedMethods(s), append(slices.Clone(tt.sent), "tools/call"); !slices.Equal(got, want) {
					t.Errorf("sent %q, want %q", got, want)
				}
			})
		})
	}
}

// TestConnectToSlowLegacyServer: a server of both eras that receives both requests
// while it starts may choose the era of the second one (2026-07-28 basic/versioning, Backward Compatibility).
func TestConnectToSlowLegacyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session := false
		c := connectStream(t, testserver.Script(func(line string) []string {
			id := line[max(0, strings.Index(line, `"id":`)):]
			if len(id) > 6 {
				id = id[:6]
			}
			result := func(s string) []string { return []string{`{"jsonrpc":"2.0",` + id + `,"result":` + s + "}\n"} }
			switch {
			case line == "":
				time.Sleep(5 * time.Second)
			case strings.Contains(line, `"server/discover"`):
				return result(`{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{}}`)
			case strings.Contains(line, `"initialize"`):
				session = true
				return result(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
			case strings.Contains(line, `"tools/call"`) && session == strings.Contains(line, `protocolVersion`):
				return []string{`{"jsonrpc":"2.0",` + id + `,"error":{"code":-32600,"message":"the other era"}}` + "\n"}
			case strings.Contains(line, `"tools/call"`):
				return result(done)
			}
			return nil
		}).Pipe(), nil)
		if _, err := c.CallTool(t.Context(), "any", nil); err != nil {
			t.Errorf("speaking %s: %v", c.Server().ProtocolVersion, err)
		}
	})
}

// greetings returns the handshake of a scripted legacy server.
func greetings(discover string) map[string]string {
	return map[string]string{
		"server/discover": `{"jsonrpc":"2.0","id":$id,` + discover + `}`,
		"initialize": `{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"serverInfo":{"name":"script","version":"1"}}}`,
	}
}

func TestConnectFallsBackAfterAnyProbeResponse(t *testing.T) {
	for _, answer := range []string{
		`"error":"unknown method"`,
		`"error":{"message":"unknown method"}`,
		`"error":{"code":-32700,"message":"Parse error","data":{"supported":["2026-07-28"]}}`,
		`"result":null`,
		`"result":[]`,
		`"result":{}`,
		`"result":{"supportedVersions":[]}`,
		`"result":{"supportedVersions":["2027-12-31","2025-06-18"],"capabilities":{}}`,
		`"result":{},"error":{"code":1,"message":"both"}`,
	} {
		t.Run(answer, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connectStream(t, testserver.Replies(greetings(answer)).Pipe(), nil)
				if got := c.Server().ProtocolVersion; got != mcp.ProtocolVersion20250618 {
					t.Errorf("version %s, want 2025-06-18", got)
				}
			})
		})
	}
}

// TestConnectRecognizesModernErrors: only modern servers use these codes, and the
// client must not send initialize to them.
func TestConnectRecognizesModernErrors(t *testing.T) {
	for _, tt := range []struct {
		answer string
		code   int64 // 0 if the error is not an error response
		is     error
		says   string
	}{
		{`"error":{"code":-32020,"message":"header mismatch"}`, mcp.CodeHeaderMismatch, nil, "header mismatch"},
		{`"error":{"code":-32021,"message":"sampling needed","data":{"requiredCapabilities":{"sampling":{}}}}`,
			mcp.CodeMissingClientCapability, nil, "sampling needed"},
		{`"error":{"code":-32022,"message":"no","data":{"supported":["2027-12-31"],"requested":"2026-07-28"}}`,
			0, mcp.ErrUnsupportedVersion, `requested 2026-07-28, the server supports "2027-12-31"`},
		{`"error":{"code":-32022,"message":"no","data":{"supported":"all"}}`, 0, mcp.ErrUnsupportedVersion, "2026-07-28"},
		{`"error":{"code":-32022,"message":"no"}`, 0, mcp.ErrUnsupportedVersion, "2026-07-28"},
		{`"result":{"supportedVersions":["2027-12-31"],"capabilities":{}}`, 0, mcp.ErrUnsupportedVersion, "2027-12-31"},
	} {
		t.Run(tt.answer, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent []string
				script := testserver.Replies(greetings(tt.answer))
				pipe := testserver.Script(func(line string) []string {
					if line != "" {
						sent = append(sent, line)
					}
					return script(line)
				}).Pipe()
				_, err := mcp.Connect(t.Context(), overStream(pipe), nil)
				wantError(t, err, tt.is, tt.says)
				if tt.code != 0 {
					wantCode(t, err, tt.code)
				}
				pipe.Close()
				if len(sent) != 1 {
					t.Errorf("sent %q, want the probe only", sent)
				}
			})
		})
	}
}

func TestConnectRestartsServerAfterProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var servers []*testserver.Server
		c, err := mcp.Connect(t.Context(), streamFunc(func() io.ReadWriteCloser {
			s := testserver.New(&testserver.Options{Fault: "discover-dies"})
			servers = append(servers, s)
			return s.Pipe()
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Error(err)
		}
		if len(servers) != 2 || !slices.Equal(receivedMethods(servers[0]), probed) ||
			!slices.Equal(receivedMethods(servers[1]), append(slices.Clone(session), "tools/list")) {
			t.Errorf("%d servers, sent %q", len(servers), receivedMethods(servers[len(servers)-1]))
		}
	})
}

func TestConnectRestartsServerOnce(t *testing.T) {
	for _, fault := range []string{"exits-at-start", "usage-and-exit"} {
		synctest.Test(t, func(t *testing.T) {
			starts := 0
			_, err := mcp.Connect(t.Context(), streamFunc(func() io.ReadWriteCloser {
				starts++
				return testserver.New(&testserver.Options{Fault: fault}).Pipe()
			}), nil)
			wantError(t, err, mcp.ErrClosed)
			if starts != 2 {
				t.Errorf("%s: started %d times, want 2", fault, starts)
			}
		})
	}
}

func TestConnectRestartsServerOnlyForLegacy(t *testing.T) {
	refuses := testserver.Script(func(line string) []string {
		if line == "" {
			return nil
		}
		return []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2027-12-31"]}}}` + "\n"}
	})
	for _, tt := range []struct {
		name     string
		versions []string
		is       error
		open     func() io.ReadWriteCloser
	}{
		{"modern only", []string{modern}, mcp.ErrClosed,
			func() io.ReadWriteCloser { return testserver.New(&testserver.Options{Fault: "exits-at-start"}).Pipe() }},
		{"legacy only", []string{legacy}, mcp.ErrClosed,
			func() io.ReadWriteCloser { return testserver.New(&testserver.Options{Fault: "exits-at-start"}).Pipe() }},
		{"a modern server that refused and went", nil, mcp.ErrUnsupportedVersion,
			func() io.ReadWriteCloser { return &once{ReadWriteCloser: refuses.Pipe()} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				starts := 0
				_, err := mcp.Connect(t.Context(), streamFunc(func() io.ReadWriteCloser {
					starts++
					return tt.open()
				}), &mcp.Options{ProtocolVersions: tt.versions})
				wantError(t, err, tt.is)
				if starts != 1 {
					t.Errorf("started %d times, want 1", starts)
				}
			})
		})
	}
}

// A once is a connection that ends after the first successful read.
type once struct {
	io.ReadWriteCloser
	read bool
}

func (o *once) Read(p []byte) (int, error) {
	if o.read {
		return 0, io.EOF
	}
	o.read = true
	return o.ReadWriteCloser.Read(p)
}

// TestConnectOverStream: a stream that cannot be opened again gets initialize
// first, as a server may end the connection because of server/discover.
func TestConnectOverStream(t *testing.T) {
	refused := []string{"initialize", "server/discover"}
	for _, tt := range []struct {
		name     string
		server   testserver.Options
		versions []string
		cached   string
		want     string // the negotiated version; empty if Connect fails
		sent     []string
	}{
		{name: "a legacy server that exits on server/discover", server: testserver.Options{Fault: "discover-dies"}, want: legacy, sent: session},
		{name: "both eras", want: legacy, sent: session},
		{name: "both eras, known as modern", cached: modern, want: modern, sent: probed},
		{name: "both eras, only modern allowed", versions: []string{modern}, want: modern, sent: probed},
		{name: "modern", server: onlyVersion(modern), want: modern, sent: refused},
		{name: "modern, known as legacy", server: onlyVersion(modern), cached: legacy, want: modern, sent: refused},
		{name: "exits at once", server: testserver.Options{Fault: "exits-at-start"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testserver.New(&tt.server)
				o := &mcp.Options{ProtocolVersions: tt.versions}
				if tt.cached != "" {
					o.CachedServer = &mcp.ServerInfo{ProtocolVersion: tt.cached}
				}
				c, err := mcp.Connect(t.Context(), stdio.Stream(s.Pipe()), o)
				switch {
				case tt.want == "":
					wantError(t, err, mcp.ErrClosed)
					wantError(t, err, stdio.ErrOpened, "stdio.Dial")
					return
				case err != nil:
					t.Fatal(err)
				}
				defer c.Close()
				if got := c.Server().ProtocolVersion; got != tt.want {
					t.Errorf("version %s, want %s", got, tt.want)
				}
				synctest.Wait()
				if got := receivedMethods(s); !slices.Equal(got, tt.sent) {
					t.Errorf("sent %q, want %q", got, tt.sent)
				}
			})
		})
	}
}

func TestConnectWithProtocolVersions(t *testing.T) {
	for _, tt := range []struct {
		name     string
		versions []string
		server   testserver.Options
		want     string // the negotiated version
		is       error  // or the error
		code     int64  // or the code of the error response
		sent     []string
	}{
		{name: "one legacy", versions: []string{mcp.ProtocolVersion20250326}, want: mcp.ProtocolVersion20250326, sent: session},
		{name: "one modern", versions: []string{modern}, want: modern, sent: probed},
		{name: "several legacy", versions: []string{mcp.ProtocolVersion20241105, mcp.ProtocolVersion20250618}, want: mcp.ProtocolVersion20250618, sent: session},
		{name: "several, of a legacy server", versions: []string{mcp.ProtocolVersion20241105, modern, mcp.ProtocolVersion20250326},
			server: testserver.Options{Fault: "discover-server-error"}, want: mcp.ProtocolVersion20250326, sent: both},
		{name: "one modern, of a legacy server", versions: []string{modern}, server: onlyVersion(legacy), code: -32601, sent: probed},
		{name: "one legacy, of a modern server", versions: []string{legacy}, server: onlyVersion(modern), code: -32601,
			sent: []string{"initialize"}},
		{name: "the server prefers an older one", versions: []string{mcp.ProtocolVersion20250618, mcp.ProtocolVersion20241105},
			server: onlyVersion(mcp.ProtocolVersion20241105), want: mcp.ProtocolVersion20241105, sent: session},
		{name: "the server prefers one that may not be used", versions: []string{mcp.ProtocolVersion20250618},
			server: onlyVersion(mcp.ProtocolVersion20241105), is: mcp.ErrUnsupportedVersion, sent: []string{"initialize"}},
		{name: "later and legacy, but another legacy", versions: []string{modern, mcp.ProtocolVersion20250618},
			server: testserver.Options{ProtocolVersions: []string{"2027-01-01", mcp.ProtocolVersion20241105}},
			is:     mcp.ErrUnsupportedVersion, sent: probed},
		{name: "nonsense", versions: []string{"latest", ""}, is: mcp.ErrUnsupportedVersion},
		{name: "nonsense beside a version", versions: []string{"latest", legacy, legacy}, want: legacy, sent: session},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testserver.New(&tt.server)
				pipe := s.Pipe()
				c, err := mcp.Connect(t.Context(), overStream(pipe), &mcp.Options{ProtocolVersions: tt.versions})
				switch {
				case tt.want == "":
					wantError(t, err, tt.is)
					if tt.code != 0 {
						wantCode(t, err, tt.code)
					}
				case err != nil:
					t.Fatal(err)
				default:
					if got := c.Server().ProtocolVersion; got != tt.want {
						t.Errorf("version %s, want %s", got, tt.want)
					}
					c.Close()
				}
				if got := receivedMethods(s); !slices.Equal(got, tt.sent) {
					t.Errorf("sent %q, want %q", got, tt.sent)
				}
				if v := s.Violations(); v != nil {
					t.Errorf("protocol violations: %q", v)
				}
			})
		})
	}
}

// TestConnectThroughATerminal: a terminal between client and server repeats what
// the client sends.
func TestConnectThroughATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
			ours, theirs := net.Pipe()
			go io.Copy(theirs, theirs) // until the client closes ours
			return ours, nil
		})
		_, err := mcp.Connect(t.Context(), terminal, nil)
		if err == nil || !strings.Contains(err.Error(), "start the server without a terminal") {
			t.Errorf("%v", err)
		}
	})
}

func TestConnectErrorNamesBothVersions(t *testing.T) {
	for _, tt := range []struct {
		server testserver.Options
		says   []string
	}{
		{onlyVersion("2027-01-01"), []string{"2026-07-28", "2027-01-01"}},
		{testserver.Options{Fault: "initialize-odd-version"}, []string{"2025-11-25", "1999-12-31"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := mcp.Connect(t.Context(), overStream(testserver.New(&tt.server).Pipe()), nil)
			wantError(t, err, mcp.ErrUnsupportedVersion, tt.says...)
		})
	}
}

func TestConnectCopiesOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &mcp.Options{ProtocolVersions: []string{legacy}}
		c := connect(t, testserver.New(nil), o)
		if len(o.ProtocolVersions) != 1 || o.Timeout != 0 || o.Info.Name != "" || o.Trace != nil {
			t.Errorf("options were changed to %+v", o)
		}
		o.ProtocolVersions[0], o.Timeout = "", 1
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// refusingServer responds to initialize with a list of versions, except to a request for
// its preferred one.
func refusingServer(likes, lists string, asked *[]string) testserver.Script {
	return func(line string) []string {
		switch {
		case strings.Contains(line, `"server/discover"`):
			return []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}` + "\n"}
		case !strings.Contains(line, `"initialize"`):
			return nil
		}
		_, version, _ := strings.Cut(line, `"protocolVersion":"`)
		version = version[:len("2025-11-25")]
		*asked = append(*asked, version)
		id := `{"jsonrpc":"2.0","id":` + string('1'+byte(len(*asked)))
		if version == likes {
			return []string{id + `,"result":{"protocolVersion":"` + likes + `","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}` + "\n"}
		}
		return []string{id + `,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":` + lists + "}}}\n"}
	}
}

func TestConnectRetriesWithOfferedVersion(t *testing.T) {
	for _, tt := range []struct {
		likes, lists string
		want         []string
		ok           bool
	}{
		{"2025-03-26", `["2024-11-05","2025-03-26"]`, []string{"2025-11-25", "2025-03-26"}, true},
		{"none", `["2024-11-05"]`, []string{"2025-11-25", "2024-11-05"}, false},
		{"none", `["2025-11-25"]`, []string{"2025-11-25"}, false},
		{"none", `["1.0"]`, []string{"2025-11-25"}, false},
		{"none", `"2024-11-05"`, []string{"2025-11-25"}, false},
		{"none", `[1]`, []string{"2025-11-25"}, false},
	} {
		t.Run(tt.lists, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				c, err := mcp.Connect(t.Context(), overStream(refusingServer(tt.likes, tt.lists, &asked).Pipe()), nil)
				if tt.ok {
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					if c.Server().ProtocolVersion != tt.likes {
						t.Errorf("version %s, want %s", c.Server().ProtocolVersion, tt.likes)
					}
				} else {
					wantCode(t, err, -32602)
				}
				if !slices.Equal(asked, tt.want) {
					t.Errorf("asked for %q, want %q", asked, tt.want)
				}
			})
		})
	}
}

// TestConnectRetriesWhenServerRefusesOfferedVersion: servers behind one URL can
// differ.
func TestConnectRetriesWhenServerRefusesOfferedVersion(t *testing.T) {
	asked := 0
	refuse := func(times int) testserver.Script {
		asked = 0
		return func(line string) []string {
			if line == "" {
				return nil
			}
			asked++
			answer := `{"jsonrpc":"2.0","id":` + strconv.Itoa(asked)
			if asked > times {
				return []string{answer + `,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}` + "\n"}
			}
			return []string{answer + `,"error":{"code":-32022,"message":"Unsupported","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}` + "\n"}
		}
	}
	if got := connectStream(t, refuse(1).Pipe(), nil).Server().ProtocolVersion; got != modern {
		t.Errorf("version %s", got)
	}
	_, err := mcp.Connect(t.Context(), overStream(refuse(9).Pipe()), nil)
	wantError(t, err, mcp.ErrUnsupportedVersion)
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestConnectRespectsContext(t *testing.T) {
	cause := errors.New("the user went home")
	for _, tt := range []struct {
		name  string
		after time.Duration
		sent  []string
	}{
		{"before", 0, nil},
		{"during the probe", time.Second / 2, probed},
		{"during initialize", 4 * time.Second, []string{"server/discover", "initialize"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testserver.New(&testserver.Options{Fault: "mute", ProtocolVersions: []string{legacy}})
				pipe := s.Pipe()
				defer pipe.Close()
				ctx, cancel := context.WithCancelCause(t.Context())
				if tt.after == 0 {
					cancel(cause)
				}
				time.AfterFunc(tt.after, func() { cancel(cause) })
				wantDuration(t, tt.after, func() {
					_, err := mcp.Connect(ctx, overStream(pipe), nil)
					wantError(t, err, cause)
				})
				// No cancellation: the specification forbids it for initialize,
				// and a legacy server does not know server/discover.
				if got := receivedMethods(s); !slices.Equal(got, tt.sent) {
					t.Errorf("sent %q, want %q", got, tt.sent)
				}
			})
		})
	}
}

func TestConnectWithoutDeadlineTimesOut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script testserver.Script
	}{
		{"silent", func(string) []string { return nil }},
		{"answers JSON that is not JSON-RPC", func(string) []string { return []string{`{"hello":"world"}` + "\n"} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wantDuration(t, 61*time.Second, func() {
					_, err := mcp.Connect(t.Context(), overStream(tt.script.Pipe()), nil)
					wantError(t, err, context.DeadlineExceeded, "initialize", "1m0s")
				})
			})
		})
	}
}

// TestConnectToEcho: the client receives its own messages.
func TestConnectToEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		echo := testserver.Script(func(line string) []string { return []string{line + "\n"} })
		_, err := mcp.Connect(t.Context(), overStream(echo.Pipe()), nil)
		wantError(t, err, nil, "initialize")
	})
}

func TestConnectToMalformedServer(t *testing.T) {
	for fault, is := range map[string]error{
		"initialize-malformed": mcp.ErrMalformed,
		"initialize-error":     nil,
	} {
		t.Run(fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := mcp.Connect(t.Context(), overStream(testserver.New(&testserver.Options{Fault: fault}).Pipe()), nil)
				wantError(t, err, is, "connect", "initialize")
				if is == nil {
					wantCode(t, err, -32603)
				}
			})
		})
	}
}

// TestConnectToExitingProgram: the error contains the message of the program.
func TestConnectToExitingProgram(t *testing.T) {
	for fault, texts := range map[string][]string{
		"exits-at-start": {"status 3", "fatal: no configuration file"},
		"usage-and-exit": {"status 3"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			tr, _ := process(&testserver.Options{Fault: fault})
			_, err := mcp.Connect(t.Context(), tr, nil)
			name := strings.ReplaceAll(tr.Name, `\`, `\\`) // of Windows, in quotes
			wantError(t, err, mcp.ErrClosed, append(texts, "connect: ", name)...)
			var exit *stdio.ExitError
			if !errors.As(err, &exit) || exit.State.ExitCode() != 3 {
				t.Errorf("no *stdio.ExitError with status 3 in %v", err)
			}
		})
	}
}

// TestErrorsNameVariablesThatWereNotPassed: whichever way the server says so.
func TestErrorsNameVariablesThatWereNotPassed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: there is no shell")
	}
	t.Setenv("MCP_TEST_KEY", "the-value")
	t.Setenv("MCP_TEST_TOKEN", "the-value")
	refusal := `read x; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"MCP_TEST_KEY is empty"}}';`
	for script, want := range map[string]string{
		"echo starting; echo 'Error: MCP_TEST_KEY is required' >&2; exit 1":         "; MCP_TEST_KEY is set here but not passed to servers; pass it with Env",
		"echo 'Error: set MCP_TEST_KEY and MCP_TEST_TOKEN' >&2; exit 1":             "; MCP_TEST_KEY, MCP_TEST_TOKEN are set here but not passed to servers; pass them with Env",
		"echo 'waiting for MCP_TEST_KEY' >&2; exec sleep 60":                        "; MCP_TEST_KEY is set here but not passed to servers; pass it with Env",
		refusal + strings.Replace(refusal, `"id":1`, `"id":2`, 1) + "exec sleep 60": "; MCP_TEST_KEY is set here but not passed to servers; pass it with Env",
		"echo 'Error: no key' >&2; exit 1":                                          "",
	} {
		tr := stdio.Command("/bin/sh", "-c", script)
		tr.CloseWait = 10 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := mcp.Connect(ctx, tr, &mcp.Options{ProbeTimeout: 100 * time.Millisecond})
		cancel()
		if err == nil || strings.Contains(err.Error(), "the-value") || want == "" && strings.Contains(err.Error(), "passed") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
		var exit *stdio.ExitError
		var answer *jsonrpc.Error
		if !errors.As(err, &exit) && !errors.As(err, &answer) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
}

// TestProgramThatReadsNothingIsStartedOnce: a program that exits because of the probe has
// read it. Only Linux can tell.
func TestProgramThatReadsNothingIsStartedOnce(t *testing.T) {
	for fault, want := range map[string]int{"exits-at-start": 1, "usage-and-exit": 1, "discover-dies": 2} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" {
				want = 2
			}
			tr, _ := process(&testserver.Options{Fault: fault, ProtocolVersions: []string{legacy}})
			var starts atomic.Int64
			tr.Start = func(cmd *exec.Cmd) error {
				starts.Add(1)
				return cmd.Start()
			}
			c, err := mcp.Connect(t.Context(), tr, nil)
			if err == nil {
				c.Close()
			}
			if n := int(starts.Load()); n != want || (err == nil) != (fault == "discover-dies") {
				t.Errorf("started %d times, want %d: %v", n, want, err)
			}
		})
	}
}

// TestConnectToSilentProgram: TestMain checks that no process is left.
func TestConnectToSilentProgram(t *testing.T) {
	t.Parallel()
	tr, _ := process(&testserver.Options{Fault: "mute"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := mcp.Connect(ctx, tr, &mcp.Options{ProbeTimeout: 10 * time.Millisecond})
	wantError(t, err, context.DeadlineExceeded, "connect")
}

func TestConnectToMissingProgram(t *testing.T) {
	_, err := mcp.Connect(t.Context(), stdio.Command("no-such-program-anywhere"), nil)
	wantError(t, err, nil, "connect", "no-such-program-anywhere")
}

func TestServerInfo(t *testing.T) {
	for _, version := range mcp.ProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := onlyVersion(version)
				o.Without = []string{"prompts"}
				info := connect(t, testserver.New(&o), nil).Server()
				if info.Name != "stdmcp-echo" || info.Version != "1.0.0" || info.Title != "Echo" || info.ProtocolVersion != version {
					t.Errorf("server is %+v", info)
				}
				if info.Capabilities.Tools == nil || info.Capabilities.Prompts != nil {
					t.Errorf("capabilities are %+v", info.Capabilities)
				}
				if !strings.Contains(info.Instructions, "call echo first") {
					t.Errorf("instructions are %q", info.Instructions)
				}
			})
		})
	}
}

// TestPingDuringConnect: a server may send ping as soon as it has responded to
// initialize, and some send it before.
func TestPingDuringConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		c := connectStream(t, testserver.Script(func(line string) []string {
			const ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n"
			switch {
			case strings.Contains(line, `"server/discover"`):
				return []string{ping, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}` + "\n", ping}
			case strings.Contains(line, `"initialize"`):
				return []string{ping, `{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},` +
					`"serverInfo":{"name":"x","version":"1"}}}` + "\n", ping, ping}
			case line == `{"jsonrpc":"2.0","id":"p","result":{}}`:
				answers++
			}
			return nil
		}).Pipe(), nil)
		synctest.Wait()
		c.Close()
		if answers == 0 {
			t.Error("no ping was answered")
		}
	})
}

// TestClientKeepsContextValuesOnly: the client outlives the context.
func TestClientKeepsContextValuesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		var got context.Context
		c, err := mcp.Connect(ctx, overStream(testserver.New(nil).Pipe()), &mcp.Options{
			LogLevel: mcp.LevelEmergency,
			Log:      func(ctx context.Context, _ *mcp.LogMessage) { got = ctx },
		})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := c.CallTool(t.Context(), "log", nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got == nil || got.Value(key{}) != "value" || got.Err() != nil {
			t.Errorf("handlers get the context %v", got)
		}
		c.Close()
		if got.Err() == nil {
			t.Error("handlers' context lives after Close")
		}
	})
}

// TestProbeResponseAfterRefusedInitialize: the machine is so busy that the client sees
// the response to server/discover a second after the refusal of initialize.
func TestProbeResponseAfterRefusedInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		defer server.Close()
		go func() { // ends with the pipe
			for s := bufio.NewScanner(server); s.Scan(); {
				if strings.Contains(s.Text(), `"initialize"`) {
					_, _ = io.WriteString(server, `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"after server/discover"}}`+"\n")
					time.Sleep(time.Second)
					_, _ = io.WriteString(server, `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`+"\n")
				}
			}
		}()
		c, err := mcp.Connect(t.Context(), overStream(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := c.Server().ProtocolVersion; v != modern {
			t.Error(v)
		}
		c.Close()
	})
}
