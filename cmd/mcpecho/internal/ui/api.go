package ui

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// api answers a request of the page, which has been checked.
func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	b := s.bench
	switch r.Method + " " + r.URL.Path {
	case "GET /api/events":
		s.events(w, r)
	case "GET /api/item":
		i := b.find(r.URL.Query().Get("kind"), r.URL.Query().Get("name"))
		if i == nil {
			fail(w, http.StatusNotFound, errors.New("the server has no such item"))
			return
		}
		reply(w, map[string]any{"item": i.raw, "form": inputForm(i).value()})
	case "GET /api/entry":
		s.entry(w, r)
	case "GET /api/result":
		c := b.call(number(r, "call"))
		if c == nil || !c.Kept {
			fail(w, http.StatusNotFound, errors.New("the result is no longer kept"))
			return
		}
		reply(w, c.result)
	case "GET /api/arguments":
		c := b.call(number(r, "call"))
		if c == nil || c.Arguments == nil {
			fail(w, http.StatusNotFound, errors.New("the arguments are no longer kept"))
			return
		}
		reply(w, c.Arguments)
	case "GET /api/recording":
		s.recording(w)
	case "POST /api/call":
		if q, ok := body(w, r); ok {
			id, err := b.start(&callRequest{q.text("kind"), q.text("name"), q.raw("arguments"), string(q.raw("anyway")) == "true", string(q.raw("update")) == "true"})
			done(w, map[string]any{"call": id}, err)
		}
	case "POST /api/cancel":
		if q, ok := body(w, r); ok {
			done(w, nil, b.stop(q.number("call")))
		}
	case "POST /api/answer":
		if q, ok := body(w, r); ok {
			done(w, nil, b.give(answer{q.number("ask"), mcp.ElicitAction(q.text("action")), q.raw("value")}))
		}
	case "POST /api/complete":
		if q, ok := body(w, r); ok {
			given, err := textMembers(q.raw("given"))
			var all []string
			if err == nil {
				all, err = b.complete(r.Context(), q.text("kind"), q.text("name"), q.text("argument"), q.text("value"), given)
			}
			done(w, map[string]any{"values": all}, err)
		}
	case "POST /api/connect":
		if q, ok := body(w, r); ok {
			var err error
			if q.has("version") {
				err = b.choose(q.text("version"))
			} else {
				b.reconnect("the user asked for it")
			}
			done(w, nil, err)
		}
	case "POST /api/compare":
		if q, ok := body(w, r); ok {
			v, err := b.compare(r.Context(), q.text("old"), q.text("new"))
			done(w, v, err)
		}
	case "POST /api/follow":
		if q, ok := body(w, r); ok {
			done(w, nil, b.chooseFollowed(q.text("uri")))
		}
	case "POST /api/clear":
		if q, ok := body(w, r); ok {
			if string(q.raw("calls")) == "true" {
				b.update(partCalls, func() {
					b.calls = slices.DeleteFunc(b.calls, func(c *call) bool { return c.Status != callRunning })
				})
			} else {
				b.update("", b.ring.clear)
			}
			done(w, nil, nil)
		}
	default:
		fail(w, http.StatusNotFound, errors.New("there is no "+r.Method+" "+cut(r.URL.Path, maxName)))
	}
}

// entry replies with the data of an entry and the command line for its request.
func (s *Server) entry(w http.ResponseWriter, r *http.Request) {
	b := s.bench
	b.mu.Lock()
	e := b.ring.get(int64(number(r, "seq")))
	var request *entry
	if e != nil && e.Of != 0 {
		request = b.ring.get(e.Of)
	} else if e != nil && e.Kind == kindRequest && e.Sent {
		request = e
	}
	b.mu.Unlock()
	if e == nil {
		fail(w, http.StatusNotFound, errors.New("the message is no longer kept"))
		return
	}
	answer := map[string]any{"text": string(e.data)}
	if e.data == nil && e.Size > 0 {
		answer["text"] = "(the message is too large to keep)"
	}
	if request != nil && request.Sent {
		if line := commandLine(&b.config, request); line != "" {
			answer["command"] = line
		}
	}
	reply(w, answer)
}

// commandLine returns the command line that sends a request, or "".
func commandLine(c *Config, e *entry) string {
	params := mcp.RawMessage(wire.Lookup(e.data, "params"))
	args := mcp.RawMessage(wire.Lookup(params, "arguments"))
	switch e.Method {
	case "tools/list":
		return c.CommandLine("tools")
	case "resources/list":
		return c.CommandLine("resources")
	case "resources/templates/list":
		return c.CommandLine("templates")
	case "prompts/list":
		return c.CommandLine("prompts")
	case "initialize", "server/discover":
		return c.CommandLine("info")
	case "ping":
		return c.CommandLine("ping")
	case "resources/read":
		return c.CommandLine("read", cmdline.Word{Text: wire.TextOf(params, "uri")})
	case "tools/call":
		if len(args) == 0 {
			args = mcp.RawMessage("{}")
		}
		return c.CommandLine("call", cmdline.Word{Text: wire.TextOf(params, "name")}, cmdline.Word{Text: string(wire.AppendCompact(nil, args)), Own: true})
	case "prompts/get":
		words := cmdline.Words(wire.TextOf(params, "name"))
		for _, m := range members(args) {
			value := wire.TextOf(m.raw)
			if strings.HasPrefix(value, "@") {
				return "" // which would be a file
			}
			words = append(words, cmdline.Argument(m.key, "="+value))
		}
		return c.CommandLine("prompt", words...)
	}
	return ""
}

// number returns a number of the query, or 0. No number of the page is negative.
func number(r *http.Request, key string) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(key))
	return max(0, n)
}

// body reads the JSON object of a POST. If it is invalid, body replies and returns false.
func body(w http.ResponseWriter, r *http.Request) (object, bool) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if err == nil {
		err = wire.Valid(data)
	}
	var large *http.MaxBytesError
	switch kind := wire.NewReader(data); {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, errors.New("a request may be up to 16 MiB"))
	case err != nil:
		fail(w, http.StatusBadRequest, errors.New("the request is not valid: "+err.Error()))
	case kind.Kind() != wire.Object:
		fail(w, http.StatusBadRequest, errors.New("the request must be a JSON object"))
	default:
		return object{members(data)}, true
	}
	return object{}, false
}

// done replies with a value or an error. An *invalidValue names the place.
func done(w http.ResponseWriter, v map[string]any, err error) {
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	reply(w, v)
}

func reply(w http.ResponseWriter, v any) { write(w, http.StatusOK, v) }

func fail(w http.ResponseWriter, status int, err error) {
	answer := map[string]any{"error": err.Error()}
	var invalid *invalidValue
	if errors.As(err, &invalid) {
		answer["path"] = invalid.Path
		answer["more"] = values(invalid.More, func(e *invalidValue) any { return map[string]any{"path": e.Path, "message": e.Message} })
	}
	write(w, status, answer)
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTime))
	w.WriteHeader(status)
	_, _ = w.Write(encoded(v))
}
