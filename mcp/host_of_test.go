package mcp

import "testing"

// TestHostsThatBrowsersOpen: a host that a user sees is the one that a browser opens.
func TestHostsThatBrowsersOpen(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.com/a": "example.com", "HTTP://example.com:80?x=/": "example.com:80", "https://example.com?a@b": "example.com",
		"https://example.com#a": "example.com", "https://example.com#@evil.example": "example.com",
		`https://example.com\@evil.example/`: "", `https://evil.example\.example.com/`: "", "https://example.com@evil.example/": "",
		"https://example.com%2f@evil.example/": "", "https://example.com%2eevil.example/": "", "https://example.com /": "",
		"https://ex\u00e4mple.com/": "", "https://example.com\x7f/": "", "file://example.com/": "", "javascript:alert(1)": "", "example.com": "",
	} {
		if got := hostOf(url); got != want {
			t.Errorf("%q: host %q, want %q", url, got, want)
		}
	}
}
