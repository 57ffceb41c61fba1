package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/stdmcp/stdmcp/internal/lab/peers/answers"
	"github.com/stdmcp/stdmcp/internal/lab/peers/library"
)

// inMemory measures encoding/json alone: it encodes the request and decodes the
// response into structs like those of the libraries, without a connection.
type inMemory struct {
	server answers.Answerer
	msg    []byte
}

type jsonRequest struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

type jsonAnswer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

type jsonCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

type jsonResult struct {
	Content []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Data     string          `json:"data"`
		MIMEType string          `json:"mimeType"`
		Meta     json.RawMessage `json:"_meta"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

type jsonTools struct {
	Tools []struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema"`
		Annotations struct {
			ReadOnly bool `json:"readOnlyHint"`
		} `json:"annotations"`
	} `json:"tools"`
	Next *string `json:"nextCursor"`
}

func connectJSON(_ context.Context, t *target) (library.Session, error) {
	if t.transport != "stdio" || t.modern {
		return nil, errors.New("encoding/json has no transports")
	}
	return &inMemory{server: answers.Answerer{Tools: t.tools}}, nil
}

func (s *inMemory) Call(_ context.Context, tool string, arguments map[string]any) (c library.Content, err error) {
	var res jsonResult
	err = s.do("tools/call", &jsonCall{tool, arguments}, &res)
	for _, content := range res.Content {
		c.Size += len(content.Text) + len(content.Data)
	}
	return c, err
}

func (s *inMemory) List(context.Context) (int, error) {
	var res jsonTools
	err := s.do("tools/list", nil, &res)
	return len(res.Tools), err
}

func (s *inMemory) do(method string, params, result any) error {
	req, err := json.Marshal(&jsonRequest{"2.0", 1, method, params})
	if err != nil {
		return err
	}
	s.msg = s.server.Append(s.msg[:0], req)
	var answer jsonAnswer
	if err := json.Unmarshal(s.msg, &answer); err != nil {
		return err
	}
	return json.Unmarshal(answer.Result, result)
}

func (s *inMemory) Close() error { return nil }
