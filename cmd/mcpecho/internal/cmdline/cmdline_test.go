package cmdline

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// hostile are parts of words that mean something to a shell.
var hostile = []string{
	"'", `"`, `\`, "`", "$", "$(touch x)", "${HOME}", "$HOME", "(", ")", ";", "&", "|", "<", ">", "*", "?", "[a]", "{a,b}", "~", "#", "!", "^", "%", "=", "-", "--", "\n", "\r", "\t", " ", "\x00", "\x1b[2J",
	"\u202e", "\u200b", "\ufeff", "“", "”", "„", "‘", "’", "‚", "‛", "é", "日", "…", "\xff", `\'`, `'\''`, `\\`, `\n`, "a", "b=", "x:y", "@", "+", ",", "/", ".", "_", "0", "%self", "=ls", "!!", "a=~", "\\\n",
}

func hostileWord(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(6) {
		b.WriteString(hostile[random.IntN(len(hostile))])
	}
	return b.String()
}

// TestLinesInShells evaluates printed lines in each shell of this machine: the program gets
// the words, and nothing else happens.
func TestLinesInShells(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const words = 1500
	var script bytes.Buffer
	var want []string
	for range words {
		line := Line{{Text: hostileWord(random), Own: true}, {Text: hostileWord(random)}}
		if random.IntN(2) == 0 {
			line = line[:1]
		}
		variable := random.IntN(4) == 0
		if variable {
			line[0].Variable = "CMDLINE_SECRET"
		}
		text := line.Print("printf", false)
		if text == "" {
			continue
		}
		text = "printf '%s\\0' " + strings.TrimPrefix(text, "printf ")
		if text == "printf '%s\\0' " {
			continue
		}
		script.WriteString(text + "\n")
		for _, w := range line {
			if w.Variable != "" {
				w.Text += `it's "$(x)" \`
			}
			want = append(want, w.Text)
		}
	}
	if len(want) < words/4 {
		t.Fatalf("only %d words are printed", len(want))
	}
	for _, shell := range [][]string{{"sh"}, {"dash"}, {"bash"}, {"zsh", "-f"}, {"fish", "--no-config"}} {
		path, err := exec.LookPath(shell[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, shell[1:]...)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + cmd.Dir, "LC_ALL=C.UTF-8", `CMDLINE_SECRET=it's "$(x)" \`}
		cmd.Stdin = bytes.NewReader(script.Bytes())
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", shell, err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if len(got) != len(want) {
			t.Errorf("%s reads %d words, want %d", shell, len(got), len(want))
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("%s reads %q, want %q", shell, got[i], want[i])
			}
		}
	}
}

// A word that the user has not written is printed only if no shell could read it in another
// way, and if it is not a flag.
func TestNamesThatAreNotPlain(t *testing.T) {
	for _, name := range []string{
		"", "-", "--", "--trace=FILE", "-c", "a\x00HOME\x00", "$(touch x)", "it's", "a b", `a\b`, "a\nb", "“x”", "‘x’", "a‛b", "é", "…", "a…", "~", "=ls", "%1", "a*", "a;b", "{a}", "\u202ea", "!x", "#x", "\xff", "a\u200b",
	} {
		if line := Words("tools", name).Print("mcpecho", false); line != "" {
			t.Errorf("%q is printed: %s", name, line)
		}
	}
	for _, name := range []string{"a", "a-b", "a.b/c", "@scope/pkg", "C++", "a_b", "file.json:x", "https://example.com/mcp"} {
		if line := Words("tools", name).Print("mcpecho", false); line != "mcpecho tools "+name {
			t.Errorf("%q is printed as %q", name, line)
		}
	}
}

func TestQuotes(t *testing.T) {
	for word, want := range map[string]string{
		"it's": `'it'\''s'`, `a\b`: `'a'\\'b'`, "": "''", "a b": "'a b'", "--json": "--json", "-": "-", "message=…": "message=…", `'`: `\'`, "a\nb": "", "\x00": "", "-H=a b": "'-H=a b'", "“": "'“'",
	} {
		line := Own(word).Print("mcpecho", false)
		if line = strings.TrimPrefix(line, "mcpecho "); line != want {
			t.Errorf("%q is printed as %s, want %s", word, line, want)
		}
	}
	for program, want := range map[string]string{"/a b/mcpecho": "'/a b/mcpecho' x", "A=b": "'A=b' x", "./it's": `'./it'\''s' x`, "$(x)": "'$(x)' x", "a\x00": ""} {
		if line := Words("x").Print(program, false); line != want {
			t.Errorf("%q is printed as %s, want %s", program, line, want)
		}
	}
}

// The shells of Windows get plain words, because they quote in different ways.
func TestLinesOnWindows(t *testing.T) {
	for _, word := range []string{"a b", "it's", "“", "$x", "%PATH%", "a,b", "@x", "", "a;b", "a`b", "a^b", "{a}"} {
		if line := Own(word).Print("mcpecho", true); line != "" {
			t.Errorf("%q is printed: %s", word, line)
		}
	}
	if line := Own("tools", `C:\a\b.json:x`, "--user").Print(`C:\bin\mcpecho.exe`, true); line != `C:\bin\mcpecho.exe tools C:\a\b.json:x --user` {
		t.Error(line)
	}
	if line := (Line{{Text: "-H", Own: true}, {Text: "Authorization: Bearer ", Variable: "TOKEN", Own: true}}).Print("mcpecho", true); line != "" {
		t.Error(line)
	}
}

// TestWordsOnWindows has the rules of PowerShell and cmd.exe for words that need no quotes.
// A word that a shell would split, or read as an operator, is not printed.
func TestWordsOnWindows(t *testing.T) {
	for _, tt := range []struct {
		word, why string
		printed   bool
	}{
		{"-c", "a parameter without a value", true},
		{"-a=b", "the name of a parameter may contain =", true},
		{"-a.b", "PowerShell ends the name of a parameter at a dot: -a .b", false},
		{"-Da.b=c", "the same: -Da .b=c", false},
		{"-a=b.c", "the same: -a=b .c", false},
		{`-c=.\a`, `the same: -c= .\a`, false},
		{"-a:b", "PowerShell ends the name of a parameter at a colon", false},
		{"-1.5", "a number in PowerShell, which looks like a parameter", false},
		{"--a.b", "two dashes begin no parameter", true},
		{`--config=.\a.json:x`, "two dashes begin no parameter", true},
		{"-", "a dash alone is a word", true},
		{"--", "two dashes alone are a word for other programs", true},
		{"--%", "PowerShell stops parsing", false},
		{"1.5", "programs receive a number as it is written", true},
		{"10kb", "the same", true},
		{"a.b", "a dot in other words", true},
		{".", "a dot alone", true},
		{`C:\a\`, "a backslash at the end, without quotes", true},
		{"a,b", "a list in PowerShell, a separator in cmd.exe", false},
		{"a;b", "a command in PowerShell, a separator in cmd.exe", false},
		{"@a", "splatting in PowerShell", false},
		{"a@b", "no splatting, but mcpecho prints no @", false},
		{"#a", "a comment in PowerShell", false},
		{"%a%", "a variable in cmd.exe", false},
		{"!a!", "a variable in cmd.exe, with delayed expansion", false},
		{"\u2013a.b", "PowerShell reads other dashes as a dash", false},
	} {
		if line := Own(tt.word).Print("mcpecho", true); (line == "mcpecho "+tt.word) != tt.printed || !tt.printed && line != "" {
			t.Errorf("%s (%s) is printed as %q", tt.word, tt.why, line)
		}
	}
	if line := Words("x").Print("-a.exe", true); line != "" {
		t.Errorf("a program whose name begins with a dash is printed: %s", line)
	}
}

// TestArguments: the name of an argument that would be read as a file or another argument
// has no line.
func TestArguments(t *testing.T) {
	for name, want := range map[string]string{"a": "x 'a=b c'", "a.b": "x 'a.b=b c'", "a:": "", "a=b": "", "@a": "", "-a": "", "a b": "", "": ""} {
		if got := (Line{Argument(name, "=b c")}).Print("x", false); got != want {
			t.Errorf("%s is printed as %q", name, got)
		}
	}
}

// FuzzLine evaluates one word of the user in sh.
func FuzzLine(f *testing.F) {
	for _, part := range hostile {
		f.Add(part, "a"+part)
	}
	f.Fuzz(func(t *testing.T, own, name string) {
		line := Line{{Text: own, Own: true}, {Text: name}}
		text := line.Print("printf", false)
		if text == "" || strings.HasPrefix(own, "-") {
			return
		}
		out, err := exec.Command("/bin/sh", "-c", "printf '%s\\0' "+strings.TrimPrefix(text, "printf ")).Output()
		if want := own + "\x00" + name + "\x00"; err != nil || string(out) != want {
			t.Errorf("%s\nis read as %q, want %q, %v", text, out, want, err)
		}
	})
}

// TestGoRun: the name of a program that "go run" built is several words, other names are one.
func TestGoRun(t *testing.T) {
	for program, want := range map[string]string{GoRunHere: GoRunHere + " ping", GoRunLatest: GoRunLatest + " ping", "/my dir/mcpecho": "'/my dir/mcpecho' ping"} {
		if got := Words("ping").Print(program, false); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := Words("ping").Print(GoRunLatest, true); got != GoRunLatest+" ping" {
		t.Errorf("on Windows: %s", got)
	}
}
