package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// discover requests the modern protocol versions and the capabilities of the
// server. The error is a *versionError if the server is a modern one and has no
// version in common with the client.
func (c *Client) discover(ctx context.Context) (*agreement, error) {
	a, err := c.sendDiscover(ctx, c.opts.modern(c.opts.ProtocolVersions))
	if refused, ok := err.(*versionError); ok {
		// The version may be the same one: servers behind one URL can differ.
		if v := c.opts.modern(refused.offered); v != "" {
			return c.sendDiscover(ctx, v)
		}
	}
	return a, err
}

func (c *Client) sendDiscover(ctx context.Context, version string) (*agreement, error) {
	q := newRequest("server/discover", "", nil)
	q.era, q.timeout = c.modernEra(version), c.handshakeTimeout()
	q.traits |= uncancelable // a legacy server does not know the method
	raw, err := c.send(ctx, q)
	if refusal := serverError(err); refusal != nil && refusal.Code == CodeUnsupportedVersion {
		return nil, &versionError{version, supportedVersions(refusal)}
	}
	if err != nil {
		return nil, err
	}
	var res discoverResult
	if err := decodeText(raw, &res); err != nil {
		return nil, c.failed(q, jsonrpc.Malformed(err))
	}
	if len(res.SupportedVersions) == 0 {
		return nil, c.failed(q, jsonrpc.Malformed(errors.New("no supportedVersions")))
	}
	agreed := c.opts.modern(res.SupportedVersions)
	if agreed == "" {
		return nil, &versionError{version, res.SupportedVersions}
	}
	server := ServerInfo{Implementation: res.result.ServerInfo(), ProtocolVersion: agreed, Capabilities: res.Capabilities, Instructions: res.Instructions}
	return &agreement{era: c.modernEra(agreed), server: server}, nil
}

func (c *Client) modernEra(version string) era {
	return newModernEra(version, &c.opts.Info, c.capabilities(false), c.opts.LogLevel)
}

// isModern reports whether err can only come from a server of the modern era.
func isModern(err error) bool {
	if _, ok := err.(*versionError); ok {
		return true
	}
	refusal := serverError(err)
	return refusal != nil && (refusal.Code == CodeHeaderMismatch || refusal.Code == CodeMissingClientCapability)
}

// A versionError is the refusal of a protocol version.
type versionError struct {
	asked   string
	offered []string
}

func (e *versionError) Error() string {
	s := ErrUnsupportedVersion.Error() + ": requested " + e.asked + ", the server supports"
	for i, v := range e.offered {
		if i == 10 {
			return s + " …"
		}
		s += " " + wire.Quote(v)
	}
	if len(e.offered) == 0 {
		s += " none"
	}
	return s
}

func (e *versionError) Is(target error) bool { return target == ErrUnsupportedVersion }
