package diag

import (
	"strings"
	"testing"
	"time"
)

func TestPublicArgs(t *testing.T) {
	for in, want := range map[string]string{
		"npx|-y|server|--verbose":                                      "npx|-y|server|--verbose",
		"npx|server|postgresql://user:PASS@db/x":                       "npx|server|postgresql://***@db/x",
		"--dsn|mysql://u:PASS@h:1/x?k=PASS#f":                          "--dsn|mysql://***@h:1/x?...",
		"--dsn=user:PASS@tcp(h:1)/db?x":                                "--dsn=***@tcp(h:1)/db?x",
		"postgres://u:PA/?#@SS@h/db":                                   "postgres://***@h/db",
		"https://TOKEN@h/p":                                            "https://***@h/p",
		"https://h/@scope/pkg|@scope/pkg@1.2|git@h:a/b":                "https://h/@scope/pkg|@scope/pkg@1.2|git@h:a/b",
		"jdbc:sqlserver://h:1433;user=u;password=PASS;":                "jdbc:sqlserver://h:1433;user=u;password=***",
		"Server=h;User Id=u;Password=PASS;":                            "Server=h;User Id=u;Password=***",
		"Server=h;User Id=u;Password=two PASS words;x=y":               "Server=h;User Id=u;Password=***",
		"host=h user=u password=PASS dbname=d":                         "host=h user=u password=*** dbname=d",
		"--api-key|PASS|--token=PASS|DB_PASS=PASS|x":                   "--api-key|***|--token=***|DB_PASS=***|x",
		"--token|-xPASS1|-auth|--x|--auth|-token|PASS|end":             "--token|***|-auth|--x|--auth|***|***|end",
		"--password|two PASS words|--phrase|ok":                        "--password|***|--phrase|ok",
		"--password=two PASS words|x":                                  "--password=***|x",
		"sh|-c|exec x --api-key=PASS --access-token PASS":              "sh|-c|exec x --api-key=*** --access-token ***",
		`sh|-c|x --password "a \"PASS b" -v 'c d'`:                     `sh|-c|x --password "***" -v 'c d'`,
		`sh|-c|A=1 x --password="a PASS" -v`:                           `sh|-c|A=1 x --password="***" -v`,
		`sh|-c|x; TOKEN=PASS'P Q'ASS y`:                                `sh|-c|x; TOKEN=*** y`,
		`sh|-c|curl -H 'X: Bearer PASS' u`:                             `sh|-c|curl -H '***' u`,
		"-H|X-Custom: PASS":                                            "-H|***",
		"--header|Authorization:Bearer PASS":                           "--header|***",
		"Authorization: Bearer PASS":                                   "Authorization: ***",
		"curl x 'Authorization: Custom PASS' y":                        "curl x 'Authorization: ***' y",
		"use Bearer PASS now":                                          "use Bearer *** now",
		`--config|{"apiKey":"PASS","b":"c"}`:                           `--config|{"apiKey":"***","b":"c"}`,
		`{"a":"b", "token" : 1234, "c":"d"}`:                           `{"a":"b", "token" : ***"c":"d"}`,
		`{\"apiKey\":\"PASS\",\"b\":\"c\"}`:                            `{\"apiKey\":\"***",\"b\":\"c\"}`,
		`{"headers":{"X":"PASS}","Y":"PASS"}}`:                         `{"headers":***`,
		`{token:PASS}|token: PASS|token|x`:                             `{token:***|token: ***|token|x`,
		"sk-PASS|ghp_PASS|x=eyJPASS|ghost":                             "***|***|x=***|ghost",
		"--token|--verbose|x":                                          "--token|--verbose|x",
		"TOKEN= npx x":                                                 "TOKEN= npx x",
		"--api-key":                                                    "--api-key",
		"curl|-u|user:PASS word|x":                                     "curl|-u|user:***|x",
		"sh|-c|curl -u user:PASS u; curl -u 'u:PASS word' v":           "sh|-c|curl -u user:*** u; curl -u 'u:***' v",
		"--user|user:PA:SS=PASS|-u|me|a:b":                             "--user|user:***|-u|me|a:b",
		"python|-u|server.py|docker|-u|1000:1000|-p|8080:80":           "python|-u|server.py|docker|-u|1000:1000|-p|8080:80",
		"-u|https://h:80/p|x":                                          "-u|https://h:80/p|x",
		"--creds=u:PASS|--creds|u:PASS|CREDS=PASS":                     "--creds=***|--creds|***|CREDS=***",
		"--key|-----BEGIN RSA PRIVATE KEY-----\nPASS\n-----END-----|x": "--key|***|***",
		"-----BEGIN EC PRIVATE KEY-----\nPASS PASS\n-----END-----|x":   "***|***",
		"--pem=-----BEGIN PRIVATE KEY-----\nPASS\n-----END-----|-v|x":  "***|-v|x",
		"|--token||x": "|--token|***|x",
		"--user=u:PASS|-u=u:PASS|-uuser:PASS|--proxy-user|u:PASS":                                                    "--user=u:***|-u=u:***|-uuser:***|--proxy-user|u:***",
		"-U|u:PASS word|x|--user=u:PASS word":                                                                        "-U|u:***|x|--user=u:***",
		"sh|-c|curl -u u:'PASS' -uu:PASS --user=u:PASS u":                                                            "sh|-c|curl -u u:'***' -uu:*** --user=u:*** u",
		"-u|u:123PASS|-u|u:|x|--user=1:1|-u1:1|-u|u:123456|-uu":                                                      "-u|u:***|-u|u:|x|--user=1:1|-u1:1|-u|u:***|-uu",
		"-url=https://h:80/p|-u=https://h:80/p|user:x|-|-u":                                                          "-url=https://h:80/p|-u=https://h:80/p|user:x|-|-u",
		`sh|-c|x '--token=PASS PASS' -v "--user=u:PASS PASS" y`:                                                      `sh|-c|x '--token=***' -v "--user=u:***" y`,
		"-HX-Custom: PASS|-H=X: PASS word|-Hx|y":                                                                     "-HX-Custom: ***|-H=X: ***|-Hx|y",
		"--pin|PASS|--otp|PASS|--pw=PASS|-pw|PASS|--passcode|PASS":                                                   "--pin|***|--otp|***|--pw=***|-pw|***|--passcode|***",
		"--dsn|host=h password='PASS word' x=y|--userPass|PASS":                                                      "--dsn|host=h password='***' x=y|--userPass|***",
		"sv=1&sig=PASS|b:h/c;sig=PASS|SharedAccessSignature=PASS":                                                    "sv=1&sig=***|b:h/c;sig=***|SharedAccessSignature=***",
		"http://PASS&PASS@h|http://PASS;PASS@h":                                                                      "http://***@h|http://***@h",
		`{"args":["-u","u:PASS"]}|h?sig=PASS`:                                                                        `{"args":["-u","u:***"]}|h?sig=***`,
		"-p|shown|-pshown|https://h/shown":                                                                           "-p|shown|-pshown|https://h/shown",
		"rk_live_PASS|GOCSPX-PASS|pypi-AgEPASS|gldt-PASS|shpss_PASS|hvs.PASS|gsk_PASS|whsec_PASS|LS0tLS1CRUdJTiPASS": "***|***|***|***|***|***|***|***|***",
		"xai-PASS|github_pat_PASS|sntrys_PASS|ATATT3PASS":                                                            "***|***|***|***",
		"gh-pages|pypi-server|shopify|gsk|signal|design=a|opinion=b|spin|compass|bypass":                             "gh-pages|pypi-server|shopify|gsk|signal|design=a|opinion=b|spin|compass|bypass",
	} {
		args := strings.Split(in, "|")
		public, secrets := PublicArgs(args...)
		got := strings.Join(public, "|")
		if got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
		if strings.Contains(in, "PASS") != strings.Contains(strings.Join(secrets, "|"), "PASS") {
			t.Errorf("%s: the secrets are %q", in, secrets)
		}
	}
}

func TestPublicArgsTakesLinearTime(t *testing.T) {
	for _, part := range []string{"a", "a ", "a:", "a=", "@", "a:b@", "a://", "http://a@", "'", `\"`, "token:", "token ", "--token ", "{", "Bearer ", "x='", "?", "sk-"} {
		begun := time.Now()
		PublicArgs(strings.Repeat(part, 256<<10/len(part)))
		if took := time.Since(begun); took > 10*time.Second { // quadratic code takes minutes
			t.Errorf("%q: %v", part, took)
		}
	}
}

func TestIsSecretName(t *testing.T) {
	for _, name := range []string{"Authorization", "set-cookie", "X-Api-Key", "GITHUB_TOKEN", "clientSecret", "Mcp-Session-Id",
		"pwd", "JWT", "session", "DB_PWD", "--password", "passwd", "PASS_WORD", "passphrase", "AWS_CREDENTIALS", "--header", "CLIENT_PIN", "otp", "dbPass", "DB_PW", "sig", "X-Hub-Signature"} {
		if !IsSecretName(name) {
			t.Errorf("%s is not secret", name)
		}
	}
	for _, name := range []string{"", "Accept", "--verbose", "PATH", "Content-Type", "compass", "spin", "SPIN", "design", "Signal", "opinion"} {
		if IsSecretName(name) {
			t.Errorf("%s is secret", name)
		}
	}
}

func TestHideUserinfo(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"no URL, a@b":                     "no URL, a@b",
		"http://h/a@b":                    "http://h/a@b",
		"http://u:p@h":                    "http://***@h",
		"x http://u:p@q@h:1/ y ftp://v@g": "x http://***@h:1/ y ftp://***@g",
		"://@":                            "://***@",
	} {
		if got := HideUserinfo(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
