package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// A Fault is a failure or an error of a server. The functions Drop, Delay, Crash,
// LoseSession, Malformed, Flood, Expire, Refuse and Respond return faults for
// [Server.Inject].
type Fault struct {
	name  string
	delay time.Duration
	n     int
	text  string
}

// String returns the name of the fault.
func (f Fault) String() string { return f.name }

// Drop never responds. The request ends when the client gives up.
func Drop() Fault { return Fault{name: "Drop"} }

// Delay responds after d.
func Delay(d time.Duration) Fault { return Fault{name: "Delay", delay: d} }

// Crash ends the connection instead of responding, and the process if there is
// one. Over HTTP, the server loses its sessions and streams, too; the client may
// connect again at once.
func Crash() Fault { return Fault{name: "Crash"} }

// LoseSession makes the server forget its sessions over HTTP, of protocol versions
// before 2026-07-28, before it looks at the request. On other transports, where a
// session is a connection, it does the same as Crash.
func LoseSession() Fault { return Fault{name: "LoseSession"} }

// Malformed responds with text that is not JSON.
func Malformed() Fault { return Fault{name: "Malformed"} }

// Flood sends n notifications, and then responds.
func Flood(n int) Fault { return Fault{name: "Flood", n: n} }

// Expire refuses the credentials of the request: over HTTP with the status 401
// until the header Authorization changes, on other transports with an error.
func Expire() Fault { return Fault{name: "Expire"} }

// Refuse responds with an error of JSON-RPC.
func Refuse(code int, message string) Fault { return Fault{name: "Refuse", n: code, text: message} }

// Respond responds with a result as it is, right or wrong. result is JSON, in
// 2026-07-28 with the member resultType.
func Respond(result string) Fault { return Fault{name: "Respond", text: result} }

// An injection is a fault that waits for its request.
type injection struct {
	target string
	fault  Fault
}

// Inject applies faults to the next requests, one each and in order. target is a
// method such as "tools/list", the name of a tool or prompt, or the URI of a
// resource; "" is every request.
func (s *Server) Inject(target string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		s.faults = append(s.faults, injection{target, f})
	}
}

// take removes and returns the next fault of a request if the transport has it.
func (s *Server) take(method string, raw []byte, has func(Fault) bool) (f Fault, ok bool) {
	var p params
	_ = json.Unmarshal(raw, &p)
	wanted := func(in injection) bool {
		return in.target == "" || in.target == method || in.target == p.Name || in.target == p.URI
	}
	if s.child != nil {
		if f, ok := s.child.take(wanted); ok {
			return f, true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, in := range s.faults {
		if !wanted(in) {
			continue
		}
		if !has(in.fault) {
			return f, false
		}
		s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		return in.fault, true
	}
	return f, false
}

// Intercept injects the faults of messages.
func (s *features) Intercept(r *testserver.CustomCall) bool {
	f, ok := (*Server)(s).take(r.Method, r.Params, func(f Fault) bool { return true })
	if !ok {
		return false
	}
	switch f.name {
	case "Drop":
		r.Later(func(ctx context.Context) { <-ctx.Done() })
	case "Delay":
		r.Later(func(ctx context.Context) {
			timer := time.NewTimer(f.delay)
			defer timer.Stop()
			select {
			case <-timer.C:
				r.Proceed()
			case <-ctx.Done():
			}
		})
	case "Flood":
		r.Later(func(ctx context.Context) {
			for i := 0; i < f.n && ctx.Err() == nil; i++ {
				r.Notify(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":` + strconv.Itoa(i) + `}}`)
			}
			r.Proceed()
		})
	case "Malformed":
		r.Send(`{"jsonrpc":"2.0","id":$id,"result":{oops`)
	case "Refuse":
		message, _ := json.Marshal(f.text)
		r.Respond("error", fmt.Sprintf(`{"code":%d,"message":%s}`, f.n, message))
	case "Respond":
		r.Respond("result", f.text)
	case "Expire":
		r.Send(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32000,"message":"Unauthorized: the token has expired"}}`)
	default: // HTTP has injected them before
		r.Die()
	}
	return true
}

// maxBody limits what the injection of faults reads of a request, in bytes.
const maxBody = 64 << 20

// wrap returns a handler that injects the faults of HTTP.
func (s *Server) wrap(h *testserver.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credentials := r.Header.Get("Authorization")
		s.mu.Lock()
		refuse, quiet := s.expired[credentials], len(s.faults) == 0
		s.mu.Unlock()
		if !refuse && !quiet && r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err != nil {
				return // the client is gone
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			m, ok := parseRequest(body)
			f := Fault{}
			if ok {
				f, _ = s.take(m.Method, m.Params, func(f Fault) bool {
					return f.name == "Crash" || f.name == "LoseSession" || f.name == "Expire"
				})
			}
			switch f.name {
			case "Crash":
				h.LoseSessions()
				panic(http.ErrAbortHandler)
			case "LoseSession":
				h.LoseSessions()
			case "Expire":
				s.mu.Lock()
				s.expired[credentials] = true
				s.mu.Unlock()
				refuse = true
			}
		}
		if refuse {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="The token has expired"`)
			http.Error(w, "Unauthorized: the token has expired", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
