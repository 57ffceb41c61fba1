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
		{`C:\100%\a b.bat`, []string{"", " ", `C:\`, `C:\a b\`}, `"C:\100%%cd:~,%\a b.bat" "" " " "C:\\" "C:\a b\\""`},
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
		if again := tilde(line); !slices.Equal(cArgs(again)[1:], args) {
			t.Errorf("%q in a batch file with \"%%~1\" became %q", args, again)
		}
		if got := cArgs(line); quoted || !slices.Equal(got[1:], args) {
			t.Errorf("%q became %q in %s", args, got[1:], line)
		}
	})
}

// tilde returns the command that a batch file with the line prog "%~1" "%~2" runs: cmd.exe
// splits its own command line at separators outside of quotes, and removes the quotes
// around each part.
func tilde(line string) string {
	var parts []string
	quoted, start := false, 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t,;=", c) >= 0:
			parts, start = append(parts, line[start:i]), i+1
		}
	}
	parts = append(parts, line[start:])
	for i, p := range parts {
		parts[i] = `"` + strings.TrimSuffix(strings.TrimPrefix(p, `"`), `"`) + `"`
	}
	return strings.Join(parts, " ")
}

// TestRulesOfCmd has one argument for each rule of cmd.exe and of the C library by which a
// quoted argument once ran a program or became two, in Go and in other languages
// (CVE-2024-24576, CVE-2024-43402). FuzzCommandLine reads the lines as both do.
func TestRulesOfCmd(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct{ arg, want string }{
		"a quote ends quotes":                             {`"&calc&"`, `"""&calc&"""`},
		"backslashes before a quote":                      {`\"&calc`, `"\\""&calc"`},
		"a variable is replaced in quotes":                {`%PATH%`, `"%%cd:~,%PATH%%cd:~,%"`},
		"a part of a variable":                            {`%CMDCMDLINE:~-1%`, `"%%cd:~,%CMDCMDLINE:~-1%%cd:~,%"`},
		"a caret escapes outside of quotes":               {`^&calc`, `"^&calc"`},
		"exclamation marks, which /v:OFF leaves":          {`!PATH!`, `"!PATH!"`},
		"separators make two arguments":                   {`a,b;c=d`, `"a,b;c=d"`},
		"a redirection":                                   {`>C:\x`, `">C:\x"`},
		"a backslash before the quote of a batch file":    {`C:\`, `"C:\\"`},
		"a vertical tab and a form feed separate, too":    {"a\vb\fc", "\"a\vb\fc\""},
		"a substitute character, which ends a batch file": {"a\x1ab", "\"a\x1ab\""},
		"quotes of other alphabets are characters":        {"\uff02\u201c", "\"\uff02\u201c\""},
		"no argument":                                     {"", `""`},
	} {
		got, err := commandLine("a.cmd", []string{tt.arg})
		if want := `cmd.exe /e:ON /v:OFF /d /c ""a.cmd" ` + tt.want + `"`; got != want || err != nil {
			t.Errorf("%s:\n\t%s, %v\nwant\t%s", rule, got, err, want)
		}
	}
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
