package batch

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	const before = `cmd.exe /e:ON /v:OFF /d /c "`
	for _, tt := range []struct {
		script string
		args   []string
		want   string
	}{
		{`C:\bin\npx.cmd`, []string{"-y", "@scope/server"}, `"C:\bin\npx.cmd" -y @scope/server"`},
		{`C:\bin\npx.cmd`, []string{"https://example.com/?a=1&b=%2F"}, `"C:\bin\npx.cmd" "https://example.com/?a=1&b=%%cd:~,%2F""`},
		{`C:\100%\a b.bat`, []string{"", " ", `C:\`, `C:\a b\`}, `"C:\100%%cd:~,%\a b.bat" "" " " C:\ "C:\a b\\""`},
		{`a.cmd`, []string{`{"a":"b"}`, `\"`, `^|<>!,;=()`}, `"a.cmd" "{""a"":""b""}" "\\""" "^|<>!,;=()""`},
		{`a.cmd`, []string{"é"}, `"a.cmd" "é""`},
	} {
		if got, err := commandLine(tt.script, tt.args); got != before+tt.want || err != nil {
			t.Errorf("%q %q:\n\t%s, %v\nwant\t%s", tt.script, tt.args, got, err, before+tt.want)
		}
	}
	for _, secret := range []string{"secret\n& calc", "secret\r", "secret\x00"} {
		if _, err := commandLine("a.cmd", []string{"x", secret}); err == nil || !strings.HasPrefix(err.Error(), "argument 2 contains") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", secret, err)
		}
	}
	if _, err := commandLine(`C:\"&calc.cmd`, nil); err == nil {
		t.Error("a path with a quote")
	}
}

func TestIsFile(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		`C:\npx.cmd`: true, `a.BAT`: true, `a.bat. .`: true, `a.cmd `: true,
		`C:\npx.exe`: false, `a.bat.exe`: false, `C:\cmd`: false, "": false,
	} {
		if isFile(program) != want {
			t.Errorf("%q: %v", program, !want)
		}
	}
}

// FuzzCommandLine reads the command line as cmd.exe and the C library of Microsoft do.
func FuzzCommandLine(f *testing.F) {
	for _, arg := range []string{"", "a b", `"`, `\"`, `a\\`, `%PATH%`, `%%cd:~,%`, `"&calc&"`, "^", `"" ""`, "é…\xff"} {
		f.Add(arg, `x"%\`)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		args := []string{one, two}
		line, err := commandLine(`C:\a b.cmd`, args)
		if strings.ContainsAny(one+two, "\r\n\x00") {
			if err == nil {
				t.Error("a line break is accepted")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ = strings.Cut(line, "/c ")
		line = line[1 : len(line)-1] // as cmd.exe does
		if strings.Contains(strings.ReplaceAll(line, `%%cd:~,%`, ""), "%") {
			t.Errorf("a percent sign in %s", line)
		}
		line = strings.ReplaceAll(line, `%%cd:~,%`, "%")
		quoted := false
		for _, c := range line {
			if c == '"' {
				quoted = !quoted
			} else if !quoted && strings.ContainsRune("&|<>^()!,;=", c) {
				t.Fatalf("cmd.exe interprets %q in %s", c, line)
			}
		}
		if got := cArgs(line); quoted || !slices.Equal(got[1:], args) {
			t.Errorf("%q became %q in %s", args, got[1:], line)
		}
	})
}

// cArgs splits a command line as the C library does: 2n backslashes before a quote
// are n, one more makes the quote a character, and so does a second quote inside
// of quotes.
func cArgs(line string) (args []string) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var arg strings.Builder
		quoted, i := false, 0
		for ; i < len(line) && (quoted || line[i] != ' ' && line[i] != '\t'); i++ {
			n := 0
			for i < len(line) && line[i] == '\\' {
				n, i = n+1, i+1
			}
			if i == len(line) || line[i] != '"' {
				arg.WriteString(strings.Repeat(`\`, n))
				if n > 0 {
					i--
				} else {
					arg.WriteByte(line[i])
				}
				continue
			}
			arg.WriteString(strings.Repeat(`\`, n/2))
			switch {
			case n%2 == 1:
				arg.WriteByte('"')
			case quoted && i+1 < len(line) && line[i+1] == '"':
				arg.WriteByte('"')
				i++
			default:
				quoted = !quoted
			}
		}
		args, line = append(args, arg.String()), line[i:]
	}
	return args
}
