package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// initialize opens a session with the given protocol version, or another legacy
// version that the server prefers.
func (c *Client) initialize(ctx context.Context, version string) (*agreement, error) {
	res, err := c.sendInitialize(ctx, version)
	if other := c.otherVersion(err, version); other != "" {
		version = other
		res, err = c.sendInitialize(ctx, version)
	}
	if err != nil {
		return nil, err
	}
	if res.ProtocolVersion == "" {
		return nil, c.failed(newRequest("initialize", "", nil), jsonrpc.Malformed(errors.New("no protocolVersion")))
	}
	agreed := c.opts.legacy([]string{res.ProtocolVersion})
	if agreed == "" {
		return nil, &versionError{version, []string{res.ProtocolVersion}}
	}
	if accept := c.features.AcceptBatches; accept != nil && agreed == ProtocolVersion20250326 {
		accept() // no other version has batches
	}
	note := &jsonrpc.Request{
		Method: "notifications/initialized",
		HTTP:   jsonrpc.HTTP{ProtocolVersion: agreed, Session: jsonrpc.BeginsSession, Repeatable: true},
	}
	if err := c.conn.Notify(ctx, note); err != nil {
		return nil, err
	}
	return &agreement{era: &legacyEra{version: agreed}, server: *res}, nil
}

func (c *Client) sendInitialize(ctx context.Context, version string) (*ServerInfo, error) {
	q := newRequest("initialize", "", func(_ *request, b []byte) ([]byte, error) {
		b = wire.AppendString(wire.AppendKey(b, "protocolVersion"), version)
		b = appendObject(wire.AppendKey(b, "capabilities"), c.capabilities(true))
		return appendObject(wire.AppendKey(b, "clientInfo"), &c.opts.Info), nil
	})
	q.timeout = c.handshakeTimeout()
	q.era = &legacyEra{}
	raw, err := c.send(ctx, q)
	if err != nil {
		return nil, err
	}
	res := new(ServerInfo)
	if err := decodeText(raw, res); err != nil {
		return nil, c.failed(q, jsonrpc.Malformed(err))
	}
	res.Probed = never // which servers do not decide
	return res, nil
}

// otherVersion returns another legacy version that the server supports, according
// to its refusal, or "".
func (c *Client) otherVersion(err error, asked string) string {
	refusal := serverError(err)
	if refusal == nil {
		return ""
	}
	if v := c.opts.legacy(supportedVersions(refusal)); v != asked {
		return v
	}
	return ""
}

// supportedVersions returns the versions in a server's refusal of a version.
//
//go:noinline
func supportedVersions(e *jsonrpc.Error) []string {
	var data versionData
	if decodeText(e.Data, &data) != nil {
		return nil
	}
	return data.supported
}

// versionData is the data of a refusal of a version.
type versionData struct{ supported []string }

func (t *versionData) fields(c *codec) {
	if c.takeList("supported") {
		for c.r.More() {
			t.supported = append(t.supported, c.r.String())
		}
	}
}
