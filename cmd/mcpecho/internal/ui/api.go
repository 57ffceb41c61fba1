package ui

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
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
		reply(w, map[string]any{"item": i.raw, "form": inputForm(i)})
	case "GET /api/entry":
		s.entry(w, r)
	case "GET /api/result":
		c := b.call(number(r, "call"))
		if c == nil || !c.Kept {
			fail(w, http.StatusNotFound, errors.New("the result is no longer kept"))
			return
		}
		reply(w, c.result)
	case "GET /api/recording":
		s.recording(w)
	case "POST /api/call":
		var q callRequest
		if body(w, r, &q) {
			id, err := b.start(&q)
			done(w, map[string]int{"call": id}, err)
		}
	case "POST /api/cancel":
		var q struct{ Call int }
		if body(w, r, &q) {
			done(w, nil, b.stop(q.Call))
		}
	case "POST /api/answer":
		var q answer
		if body(w, r, &q) {
			done(w, nil, b.give(q))
		}
	case "POST /api/complete":
		var q struct {
			Kind, Name, Argument, Value string
			Given                       map[string]string
		}
		if body(w, r, &q) {
			res, err := b.complete(r.Context(), q.Kind, q.Name, q.Argument, q.Value, q.Given)
			done(w, res, err)
		}
	case "POST /api/connect":
		var q struct{ Version *string }
		if body(w, r, &q) {
			var err error
			if q.Version != nil {
				err = b.choose(*q.Version)
			} else {
				b.reconnect("the user asked for it")
			}
			done(w, nil, err)
		}
	case "POST /api/refresh":
		if body(w, r, &struct{}{}) {
			b.newLists()
			done(w, nil, nil)
		}
	case "POST /api/clear":
		if body(w, r, &struct{}{}) {
			b.update("", b.ring.clear)
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
	params := json.RawMessage(wire.Lookup(e.data, "params"))
	args := json.RawMessage(wire.Lookup(params, "arguments"))
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
		return c.CommandLine("read", textOf(wire.Lookup(params, "uri")))
	case "tools/call":
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		return c.CommandLine("call", textOf(wire.Lookup(params, "name")), string(wire.AppendCompact(nil, args)))
	case "prompts/get":
		words := []string{textOf(wire.Lookup(params, "name"))}
		for _, m := range members(args) {
			words = append(words, m.key+"="+textOf(m.raw))
		}
		return c.CommandLine("prompt", words...)
	}
	return ""
}

// number returns a number of the query, or 0.
func number(r *http.Request, key string) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(key))
	return n
}

// body decodes the body of a POST. If it is invalid, body replies and returns false.
func body(w http.ResponseWriter, r *http.Request, v any) bool {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	err := d.Decode(v)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		fail(w, http.StatusRequestEntityTooLarge, errors.New("a request may be up to 16 MiB"))
	} else if err != nil {
		fail(w, http.StatusBadRequest, errors.New("the request is not valid: "+err.Error()))
	}
	return err == nil
}

// done replies with a value or an error. An *invalidValue names the place.
func done(w http.ResponseWriter, v any, err error) {
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	if v == nil {
		v = struct{}{}
	}
	reply(w, v)
}

func reply(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTime))
	_, _ = w.Write(text)
}

func fail(w http.ResponseWriter, status int, err error) {
	answer := map[string]any{"error": err.Error()}
	var invalid *invalidValue
	if errors.As(err, &invalid) {
		answer["path"] = invalid.Path
	}
	text, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
