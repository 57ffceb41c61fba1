package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// isAuth reports whether a scenario is about authorization. In all of these the
// client calls each tool.
func isAuth(scenario string) bool { return strings.HasPrefix(scenario, "auth/") }

// refused are the scenarios in which the client must not trust the server. They
// succeed with an error.
var refused = map[string]bool{
	"auth/resource-mismatch":        true,
	"auth/metadata-issuer-mismatch": true,
	"auth/iss-supported-missing":    true,
	"auth/iss-wrong-issuer":         true,
	"auth/iss-unexpected":           true,
	"auth/iss-normalized":           true,
	"auth/scope-retry-limit":        true,
}

var errNotRefused = errors.New("the client trusted a server that it must not trust")

// refuse returns nil if err is an error.
func refuse(err error) error {
	if err == nil {
		return errNotRefused
	}
	fmt.Println("refused:", err)
	return nil
}

// authContext is the context of scenarios about authorization.
type authContext struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`
	Issuer       string `json:"issuer"`

	IDPClientID string `json:"idp_client_id"`
	IDPToken    string `json:"idp_id_token"`
	IDPTokenURL string `json:"idp_token_endpoint"`

	JWT string `json:"valid_jwt"`
}

// transport returns the transport to the server of a scenario.
func transport(url, scenario string) (mcp.Transport, error) {
	if !isAuth(scenario) {
		return streamhttp.New(url, nil), nil
	}
	opts, err := authOptions(scenario)
	if err != nil {
		return nil, err
	}
	return streamhttp.New(url, &streamhttp.Options{Client: oauth.New(url, opts).Client()}), nil
}

func authOptions(scenario string) (*oauth.Options, error) {
	var given authContext
	if text := os.Getenv(contextEnv); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, err
		}
	}
	opts := &oauth.Options{
		Authorizer: &oauth.Loopback{Open: visit},
		ClientURL:  "https://conformance-test.local/client-metadata.json",
		ClientName: "stdmcp-conformance",
		Client:     oauth.Client{ID: given.ClientID, Secret: given.ClientSecret, Issuer: given.Issuer},
	}
	switch scenario {
	case "auth/client-credentials-basic":
		opts.Grant, opts.TrustDiscoveredIssuer = oauth.ClientCredentials{}, true // the scenario names no issuer in advance
	case "auth/client-credentials-jwt":
		key, err := oauth.ParseKey([]byte(given.PrivateKey), "")
		if err != nil {
			return nil, err
		}
		opts.Client.Key, opts.Grant = key, oauth.ClientCredentials{}
	case "auth/enterprise-managed-authorization":
		opts.Grant = oauth.Identity{
			TokenURL: given.IDPTokenURL, Client: oauth.Client{ID: given.IDPClientID}, Source: oauth.Static(given.IDPToken),
		}
	case "auth/wif-jwt-bearer":
		opts.Grant = oauth.Assertion{Source: oauth.Static(given.JWT)}
	}
	return opts, nil
}

// visit is a browser whose user consents to everything.
func visit(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
