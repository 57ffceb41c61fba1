package oauth_test

import (
	"crypto/ed25519"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp/oauth"
)

func ExampleNewKey() {
	_, private, err := ed25519.GenerateKey(nil) // or a signer that keeps the key to itself
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := oauth.NewKey(private, "2026-07")
	fmt.Println(key, err)
	client := oauth.Client{ID: "nightly", Key: key} // in place of a secret
	fmt.Println(client)
	// Output:
	// oauth.Key(EdDSA) <nil>
	// oauth.Client(nightly)
}

func ExampleNewMemory() {
	server := startServer()
	defer server.Close()
	store := oauth.NewMemory() // one for all servers, until the program ends
	for range 2 {
		auth := oauth.New(server.URL+"/mcp", &oauth.Options{Store: store, Authorizer: &oauth.Loopback{Open: openPage}})
		get(auth, server.URL+"/mcp")
		auth.CloseIdleConnections()
	}
	// Output:
	// 200 welcome
	// 200 welcome
}
