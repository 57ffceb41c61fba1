package faulttest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
)

// answer returns the messages with which the server responds to a message.
func (s *byteScenario) answer(message []byte, limit int) iter.Seq[string] {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	_ = json.Unmarshal(message, &m)
	item := func(i int) string { return s.text(i, strings.Repeat("x", limit-len(s.text(i, ""))-200-len(m.ID))) }
	result := func(text string) string {
		text, beside, _ := strings.Cut(text, outside)
		if beside != "" {
			beside = `,"outside":"` + beside + `"`
		}
		return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + text + beside + `}`
	}
	caps := `"capabilities":{"tools":{},"resources":{"subscribe":true},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}}}`
	return func(yield func(string) bool) {
		if m.ID == nil || m.Method == "" {
			return
		}
		switch m.Method {
		case "initialize":
			yield(result(`{"protocolVersion":"` + s.version + `",` + caps + `,"serverInfo":{"name":"s","version":"1"}}`))
		case "server/discover":
			yield(result(`{"resultType":"complete","supportedVersions":["` + s.version + `"],` + caps + `}`))
		case "tools/list", "resources/read":
			i, _ := strconv.Atoi(strings.TrimRight(m.Params.Cursor, "x"))
			yield(result(item(i)))
		case "tools/call":
			for i := range manyItems {
				if !yield(item(i)) {
					return
				}
			}
			yield(result(`{"resultType":"complete","content":[]}`))
		default:
			yield(result(`{"resultType":"complete"}`))
		}
	}
}

// serveStream serves one client until it closes.
func (s *byteScenario) serveStream(r io.Reader, w io.Writer, limit int) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		for text := range s.answer(line, limit) {
			if _, err := io.WriteString(w, text+"\n"); err != nil {
				return
			}
		}
	}
}

func (s *byteScenario) serveHTTP(limit int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		sent := false
		for text := range s.answer(body, limit) {
			w.Header().Set("Content-Type", "text/event-stream")
			sent = true
			if _, err := io.WriteString(w, "data: "+text+"\n\n"); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
		if !sent {
			w.WriteHeader(http.StatusAccepted)
		}
	}
}

// serveSSE serves one client over HTTP+SSE.
func (s *byteScenario) serveSSE(limit int) http.HandlerFunc {
	texts, ended := make(chan string), make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			defer close(ended)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /\n\n")
			for {
				_ = http.NewResponseController(w).Flush()
				select {
				case text := <-texts:
					_, _ = io.WriteString(w, "data: "+text+"\n\n")
				case <-r.Context().Done():
					return
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		go func() { // ends with the stream
			for text := range s.answer(body, limit) {
				select {
				case texts <- text:
				case <-ended:
					return
				}
			}
		}()
	}
}

// duplex is one end of two pipes.
type duplex struct {
	io.Reader
	io.WriteCloser
	other io.Closer
}

func (d duplex) Close() error { return errors.Join(d.WriteCloser.Close(), d.other.Close()) }
