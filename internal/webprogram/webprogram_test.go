package webprogram

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

type neverOpened struct{ t *testing.T }

func (neverOpened) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (n neverOpened) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) {
	n.t.Error("the program was started, or the connection opened")
	return nil, context.Canceled
}

// TestAddressThatIsTaken: what listens before the program is started gets no connection.
func TestAddressThatIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost"} {
		p, err := New(neverOpened{t}, neverOpened{t}, "http://"+host+":"+port+"/mcp")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Open(t.Context(), jsonrpc.Handler{}); err == nil || !strings.Contains(err.Error(), host+":"+port) {
			t.Errorf("%s: %v", host, err)
		}
		p.End()
	}
}
