package mcp

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestServerInfoRoundTrip(t *testing.T) {
	want := ServerInfo{
		Implementation:  Implementation{Name: "n", Version: "1"},
		ProtocolVersion: ProtocolVersion20251125,
		Capabilities:    ServerCapabilities{Logging: RawMessage(`{}`)},
		Instructions:    "Be kind.",
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got ServerInfo
	if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s became %+v, %v", b, got, err)
	}
}

// TestNullIsNoServerInfo: null changes nothing, as encoding/json asks of a method.
func TestNullIsNoServerInfo(t *testing.T) {
	got := ServerInfo{Instructions: "Be kind."}
	if err := json.Unmarshal([]byte("null"), &got); err != nil || got.Instructions == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestModern(t *testing.T) {
	for _, v := range ProtocolVersions() {
		if got, want := (ServerInfo{ProtocolVersion: v}).Modern(), v == ProtocolVersion20260728; got != want {
			t.Errorf("%s: %v, want %v", v, got, want)
		}
	}
	if (ServerInfo{}).Modern() {
		t.Error("a server without a protocol version is modern")
	}
}
