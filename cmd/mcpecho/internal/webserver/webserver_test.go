package webserver

import "testing"

func TestBase(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "[::]:80": "localhost:80", "0.0.0.0:80": "localhost:80",
	} {
		if got := Base(address); got != "http://"+want {
			t.Errorf("%s is reachable at %s", address, got)
		}
	}
}
