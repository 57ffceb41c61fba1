package oauth

import (
	"net/netip"
	"testing"
)

// TestSpecialRanges has one address of each special-purpose range (RFC 6890).
func TestSpecialRanges(t *testing.T) {
	for addr, want := range map[string]zone{
		"100.64.0.1": private, "192.0.0.1": private, "198.18.0.1": private, "198.19.255.255": private, "fec0::1": private, "64:ff9b:1::1": private,
		"0.0.0.1": unroutable, "240.0.0.1": unroutable, "::2": unroutable, "100::1": unroutable, "2001::1": unroutable, "2001:db8::1": unroutable,
		"3fff::1": unroutable, "5f00::1": unroutable, "192.0.2.1": unroutable, "198.51.100.1": unroutable, "203.0.113.1": unroutable,
	} {
		if got := zoneOf(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
}

func TestEmptyIssuersAreNotChosen(t *testing.T) {
	if got := New("https://example.com/mcp", nil).chooseServer([]string{"https://as.example.com", ""}); got != "https://as.example.com" {
		t.Errorf("chose %q", got)
	}
}
