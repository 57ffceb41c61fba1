package compat

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
)

// Recorded returns the catalog of a recording: the last complete list of each kind. The
// error says that the recording has no list at all.
func Recorded(entries []recording.Entry) (*Catalog, error) {
	k := new(Catalog)
	found := false
	for i, l := range lists {
		k.absent[i], k.unasked[i] = "a complete "+l.method+" is missing", true
	}
	requests := make(map[string]recording.Entry) // by connection and id
	var pages [len(lists)][]mcp.RawMessage
	for _, e := range entries {
		m := e.Message
		if e.Kind != recording.Message || m.ID.IsZero() {
			continue
		}
		id := strconv.Itoa(e.Conn) + " " + m.ID.String()
		if e.Sent && m.Method != "" {
			requests[id] = e
			for i, l := range lists {
				k.unasked[i] = k.unasked[i] && m.Method != l.method
			}
			if caps := Declared([]byte(e.Text)); caps != nil {
				k.declared, _ = parse(caps)
			}
			continue
		}
		request, ok := requests[id]
		if !ok || e.Sent || m.Method != "" {
			continue
		}
		delete(requests, id)
		method, params := request.Message.Method, request.Message.Params
		if m.Error != nil && (m.Error.Code != jsonrpc.CodeMethodNotFound || !strings.HasSuffix(method, "/list")) {
			continue // else the server has no such list, and the result is empty
		}
		if method == "initialize" || method == "server/discover" {
			k.readServer(request.Message.Params, m.Result)
			continue
		}
		for i, l := range lists {
			if method != l.method {
				continue
			}
			if cursor := wire.Lookup(params, "cursor"); cursor == nil {
				pages[i] = nil
			}
			pages[i] = append(pages[i], itemsOf(m.Result, l.key)...)
			if next := wire.Lookup(m.Result, "nextCursor"); next == nil || string(next) == "null" {
				k.lists[i], k.absent[i], found = pages[i], "", true
			}
			if version := wire.Lookup(params, "_meta", metaVersion); version != nil {
				k.server.version = unquote(version)
			}
		}
	}
	if !found {
		return nil, errors.New("the recording has no list of tools, prompts or resources")
	}
	for i, declared := range [len(lists)]string{"tools", "prompts", "resources", "resources"} {
		early := declared == "tools" && !isModern(k.server.version) // such servers do not declare their tools
		if k.server.capabilities.isObject() && k.server.capabilities.member(declared) == nil && !early {
			k.absent[i] = "" // the server has none
		}
	}
	return k, nil
}

// Declared returns the capabilities that a client declares in a message, or nil.
func Declared(message []byte) mcp.RawMessage {
	if caps := wire.Lookup(message, "params", "_meta", metaCapabilities); caps != nil {
		return caps
	}
	if method := wire.Lookup(message, "method"); string(method) == `"initialize"` {
		return wire.Lookup(message, "params", "capabilities")
	}
	return nil
}

// SetDeclared sets the capabilities that the client declared when it listed the
// server. Compare reports whether they differ.
func (k *Catalog) SetDeclared(capabilities mcp.RawMessage) { k.declared, _ = parse(capabilities) }

// Declared returns the capabilities that the client declared, or nil if they are unknown.
func (k *Catalog) Declared() mcp.RawMessage {
	if k.declared == nil {
		return nil
	}
	return mcp.RawMessage(k.declared.raw)
}

// readServer reads the result of initialize or server/discover.
func (k *Catalog) readServer(params, result []byte) {
	if version := wire.Lookup(result, "protocolVersion"); version != nil {
		k.server.version = unquote(version)
	} else {
		k.server.version = unquote(wire.Lookup(params, "_meta", metaVersion))
	}
	info := wire.Lookup(result, "serverInfo")
	if info == nil {
		info = wire.Lookup(result, "_meta", metaPrefix+"serverInfo")
	}
	k.server.info, _ = parse(info)
	k.server.instructions, k.server.capabilities = nil, nil
	if text := wire.Lookup(result, "instructions"); text != nil {
		k.server.instructions, _ = parse(text)
	}
	if caps := wire.Lookup(result, "capabilities"); caps != nil {
		k.server.capabilities, _ = parse(caps)
	}
}

func unquote(text []byte) string {
	r := wire.NewReader(text)
	return r.String()
}

func itemsOf(result []byte, key string) (items []mcp.RawMessage) {
	r := wire.NewReader(wire.Lookup(result, key))
	if r.Kind() != wire.Array {
		return nil
	}
	for r.Array(); r.More(); {
		items = append(items, r.Raw())
	}
	return items
}
