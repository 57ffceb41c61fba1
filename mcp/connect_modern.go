package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// discover asks the server which modern revisions it speaks and what it
// offers. The error is an *incompatible when the server is a modern one
// without a revision that the client may use.
func (c *Client) discover(ctx context.Context) (*agreement, error) {
	a, err := c.sendDiscover(ctx, c.opts.modern(c.opts.ProtocolVersions))
	if inc, ok := err.(*versionError); ok {
		// It may be the one that was asked for: not all servers behind one URL
		// need be of the same age.
		if v := c.opts.modern(inc.offered); v != "" {
			return c.sendDiscover(ctx, v)
		}
	}
	return a, err
}

func (c *Client) sendDiscover(ctx context.Context, asked string) (*agreement, error) {
	era := c.newModernEra(asked)
	q := newCall("server/discover", "", nil)
	q.timeout = c.handshakeTimeout()
	q.traits |= uncancelable // a legacy server does not know the method
	raw, err := c.intercept(ctx, era, q)
	if answer := serverError(err); answer != nil && answer.Code == CodeUnsupportedVersion {
		return nil, &versionError{era.version, supportedVersions(answer)}
	}
	if err != nil {
		return nil, err
	}
	var res discoverResult
	if err := decodeText(raw, &res); err != nil {
		return nil, c.failed(q, &malformedError{err})
	}
	if len(res.SupportedVersions) == 0 {
		return nil, c.failed(q, &malformedError{errors.New("no supportedVersions")})
	}
	version := c.opts.modern(res.SupportedVersions)
	if version == "" {
		return nil, &versionError{era.version, res.SupportedVersions}
	}
	a := &agreement{era: c.newModernEra(version)}
	a.server.Implementation = res.ServerInfo()
	a.server.ProtocolVersion = version
	a.server.Capabilities = res.Capabilities
	a.server.Instructions = res.Instructions
	return a, nil
}

// isModern reports whether err is what only a server of this era says.
func isModern(err error) bool {
	if _, ok := err.(*versionError); ok {
		return true
	}
	answer := serverError(err)
	return answer != nil && (answer.Code == CodeHeaderMismatch || answer.Code == CodeMissingClientCapability)
}

// incompatible is a server without the revision that it was asked for.
type versionError struct {
	asked   string
	offered []string
}

func (e *versionError) Error() string {
	s := ErrUnsupportedVersion.Error() + ": asked for " + e.asked + ", the server has"
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
