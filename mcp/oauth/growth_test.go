package oauth

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

func TestGrowth(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "OAuth challenges", Base: "Bearer", Flat: true,
		Bytes: 200, Reason: "a challenge of 2 bytes has a map",
		Dimensions: []growth.Dimension{
			growth.Beside("challenges", "", "A,", ""),
			growth.Beside("parameters", "A ", "p00000000=1,", ""),
			growth.Beside("length of a name", "A ", "n", "=1,"),
			growth.Beside("length of a scheme", "", "S", ","),
			growth.Beside("length of a value", `A p="`, "v", `",`),
			growth.Beside("escapes of a value", `A p="`, `\v`, `",`),
			growth.Beside("commas", "", ",", ""),
			growth.Beside("blanks", "A", " ", "b=1,"),
			growth.Beside("token68", "A ", "t", "==,"),
			growth.Beside("ends of token68", "A t", "=", ","),
		},
		Prepare: func(input string) func() error {
			resp := &http.Response{StatusCode: 401, Header: http.Header{"Www-Authenticate": {input}}}
			return func() error {
				if d, ok := demandOf(resp); !ok || !d.bearer {
					return errors.New("the challenge is not found")
				}
				return nil
			}
		}})

	// The input is a list of members.
	members := []growth.Dimension{
		growth.Beside("lists", `"scopes_supported":[`, `"s00000000",`, `""],`),
		growth.Beside("length of a text", `"token_endpoint":"`, "x", `",`),
		growth.Beside("length of a scope", `"scope":"`, "x ", `",`),
		growth.Beside("unknown members", `"x":{`, `"x00000000":{},`, `"y":0},`),
		growth.Beside("length of a key", `"`, "k", `":0,`),
		growth.Beside("digits", `"expires_in":0.`, "1", `,`),
		growth.Beside("audience", `"aud":[`, `"a00000000",`, `""],`),
		growth.Beside("a long error", `"error_description":"`, `\u0007`, `",`),
	}
	const base = `"access_token":"a","token_type":"Bearer","client_id":"c"`
	growth.Test(t, &growth.Reader{Name: "OAuth metadata", Base: base + `,"error":"e"`, Flat: true, Dimensions: members,
		Prepare: func(input string) func() error {
			data := []byte("{" + input + "}")
			a := &response{status: 400, header: http.Header{"Content-Type": {"application/json"}}, body: data}
			return func() error {
				_, err1 := parseResourceMetadata(data)
				_, err2 := parseServerMetadata(data)
				_, err3 := parseRegistration(data)
				if a.refusal() == nil {
					return errors.New("no refusal")
				}
				return errors.Join(err1, err2, err3)
			}
		}})
	growth.Test(t, &growth.Reader{Name: "OAuth tokens", Base: base, Flat: true, Dimensions: members,
		Prepare: func(input string) func() error {
			data := []byte("{" + input + "}")
			a := &response{status: 200, header: http.Header{"Content-Type": {"application/json"}}, body: data}
			assertion := "e30." + base64.RawURLEncoding.EncodeToString(data) + ".eA"
			return func() error {
				k, err := a.token(url.Values{"scope": {"z"}})
				if err == nil {
					_, err = parseSaved(k.encode())
				}
				if err == nil {
					_, err = parseJWT(assertion)
				}
				return err
			}
		}})
	want := expectedCallback{"http://127.0.0.1/callback", "s", "https://as", true, nil}
	limits := []string{"does not match the redirect URI"}                   // of more than 64 KiB
	if _, err := url.ParseQuery(strings.Repeat("p&", 10_001)); err != nil { // not with Go 1.25.0
		limits = append(limits, "is malformed")
	}
	growth.Test(t, &growth.Reader{Name: "OAuth callbacks", Base: "code=c&state=s&iss=https://as", Flat: true,
		Limits: limits,
		Bytes:  200, Reason: "a parameter of 2 bytes has a place in a map, and a response has at most 64 KiB",
		Dimensions: []growth.Dimension{
			growth.Beside("parameters", "", "p00000000&", ""),
			growth.Beside("length of a value", "p=", "v", "&"),
			growth.Beside("escapes", "p=", "%61", "&"),
			growth.Beside("values of a name", "", "p&", ""),
			growth.Beside("empty parameters", "", "&", ""),
		},
		Prepare: func(input string) func() error {
			return func() error { _, err := parseCallback(want.redirect+"?"+input, want); return err }
		}})
}
