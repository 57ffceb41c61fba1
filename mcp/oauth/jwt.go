package oauth

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A jwt holds claims of a JSON Web Token that is neither issued by nor for the
// client. The client cannot verify it, and reads it only to fail early with a
// clear error.
type jwt struct {
	typ      string
	audience []string
	resource string
	client   string
	expires  time.Time // zero if it has no exp
}

var errJWT = errors.New("not a signed JSON Web Token")

func parseJWT(s string) (*jwt, error) {
	const longest = 1 << 20
	parts := strings.SplitN(s, ".", 4)
	if len(s) > longest || len(parts) != 3 {
		return nil, errJWT
	}
	var decoded [3][]byte
	for i, p := range parts {
		data, err := base64.RawURLEncoding.Strict().DecodeString(p)
		if err != nil || len(data) == 0 || strings.ContainsAny(p, "\r\n") {
			return nil, errJWT
		}
		decoded[i] = data
	}
	j := &jwt{}
	if err := j.readHeader(decoded[0]); err != nil {
		return nil, errJWT
	}
	if err := j.readClaims(decoded[1]); err != nil {
		return nil, errJWT
	}
	return j, nil
}

func (j *jwt) readHeader(data []byte) error {
	return readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "typ":
			j.typ = r.String()
		default:
			r.Skip()
		}
	})
}

func (j *jwt) readClaims(data []byte) error {
	return readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "aud":
			if r.Kind() == wire.Array {
				j.audience = optStrings(r)
			} else {
				j.audience = []string{r.String()}
			}
		case "resource":
			if r.Kind() == wire.String {
				j.resource = r.String()
			} else {
				r.Skip()
			}
		case "client_id":
			j.client = r.String()
		case "exp":
			const last = 1 << 38 // later years have more than four digits
			if f := r.Float(); f >= 0 && f < last {
				j.expires = time.Unix(int64(f), 0)
			} else {
				r.Fail(errJWT)
			}
		default:
			r.Skip()
		}
	})
}

// checkGrant returns an error if the identity provider's assertion is not for
// the server s and the client (Enterprise-Managed Authorization, section 4.3).
func (j *jwt) checkGrant(s *server, client string) error {
	switch {
	case j.typ != "oauth-id-jag+jwt":
		return errors.New(`its typ is not "oauth-id-jag+jwt"`)
	case !slices.Contains(j.audience, s.issuer):
		return errors.New("its audience is not " + printable(s.issuer))
	case j.resource != "" && j.resource != s.resource:
		return errors.New("its resource is not " + printable(s.resource))
	case j.client != client:
		return errors.New("its client_id is not Options.Client.ID")
	}
	return nil
}
