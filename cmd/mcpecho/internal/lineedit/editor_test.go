package lineedit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

const (
	enterKey, tab, backspace, deleteKey = "\r", "\t", "\x7f", "\x1b[3~"
	arrowUp, down, right, left          = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end, wordBack, wordForward    = "\x1b[H", "\x1b[F", "\x1b[1;5D", "\x1b[1;5C"
	ctrlA, ctrlC, ctrlD, ctrlE, ctrlG   = "\x01", "\x03", "\x04", "\x05", "\x07"
	ctrlK, ctrlR, ctrlU, ctrlW, ctrlY   = "\x0b", "\x12", "\x15", "\x17", "\x19"
)

func history(lines ...string) *History {
	h := new(History)
	for _, line := range lines {
		h.Add(line)
	}
	return h
}

func TestKeysEditTheLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		keys []string
		want string // with a bar for the cursor
	}{
		{"typing", []string{"call echo"}, "call echo|"},
		{"insert", []string{"cal echo", home, right, right, right, "l"}, "call| echo"},
		{"backspace", []string{"calll", backspace}, "call|"},
		{"backspace at the start", []string{"a", home, backspace}, "|a"},
		{"delete", []string{"xcall", ctrlA, deleteKey}, "|call"},
		{"Ctrl-D deletes", []string{"ab", left, ctrlD}, "a|"},
		{"words", []string{"call echo message=hi", wordBack, wordBack}, "call echo |message=hi"},
		{"words with Alt", []string{"call echo", "\x1bb", "\x1bb", "\x1bf"}, "call| echo"},
		{"word forward", []string{"call echo", home, wordForward, wordForward}, "call echo|"},
		{"Ctrl-W deletes to a blank", []string{"call echo message=hi", ctrlW}, "call echo |"},
		{"Alt-Backspace deletes a word", []string{"call echo message=hi", "\x1b\x7f"}, "call echo message=|"},
		{"Alt-D", []string{"call echo", home, "\x1bd"}, "| echo"},
		{"Ctrl-K and Ctrl-Y", []string{"call echo", home, ctrlK, "x ", ctrlY}, "x call echo|"},
		{"Ctrl-U", []string{"call echo", left, ctrlU}, "|o"},
		{"Ctrl-B, Ctrl-F, Ctrl-E", []string{"abc", "\x02\x02\x06", "-", ctrlE, "!"}, "ab-c!|"},
		{"unknown sequences do nothing", []string{"a", "\x1b[99;9R", "\x1b[<0;1;1M", "\x1bOP", "\x1b[200", "~b\x1b[201~", "c"}, "abc|"},
		{"Ctrl-L clears the screen", []string{"abc", "\x0c"}, "abc|"},
		{"invalid bytes are left out", []string{"a\xff\xfeb"}, "ab|"},
	} {
		t.Run(test.name, func(t *testing.T) {
			editOn(t, 40, 5, &Line{Prompt: "> "}, func(s *session) {
				s.press(test.keys...)
				s.shows("> " + test.want)
				s.press(enterKey)
				s.reads(strings.Replace(test.want, "|", "", 1))
			})
		})
	}
}

func TestCharactersOfSeveralRunes(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"é", "e\u0301", "한", "界", "👍🏽", "👩\u200d👩\u200d👧", "🇮🇹", "❤\ufe0f", "नि"} {
		t.Run(one, func(t *testing.T) {
			editOn(t, 40, 5, &Line{Prompt: "> "}, func(s *session) {
				s.press("a"+one+"b", left)
				s.shows("> a" + one + "|b")
				s.press(left)
				s.shows("> a|" + one + "b")
				s.press(right, backspace)
				s.shows("> a|b")
				for _, b := range []byte(one) { // bytes may come one by one
					s.press(string([]byte{b}))
				}
				s.shows("> a" + one + "|b")
				s.press(left, deleteKey, enterKey)
				s.reads("ab")
			})
		})
	}
}

func TestLongLineHasSeveralRows(t *testing.T) {
	t.Parallel()
	editOn(t, 11, 5, &Line{Prompt: "> "}, func(s *session) {
		s.press("12345678界界界界界界")
		s.shows("> 12345678\n界界界界界\n界|")
		s.press(home, "x")
		s.shows("> x|1234567\n8界界界界\n界界")
		s.press(strings.Repeat("y", 60))
		s.shows("yyyyyyyyyy\nyyyyyyyyyy\nyyy|1234567\n8界界界界\n界界")
		s.press(ctrlU)
		s.shows("> |12345678\n界界界界界\n界")
		s.press(enterKey)
		s.reads("12345678界界界界界界")
	})
}

func TestHistory(t *testing.T) {
	t.Parallel()
	editOn(t, 40, 6, &Line{Prompt: "> ", History: history("one", "two", "call {\n1}", "one")}, func(s *session) {
		s.press("ne", arrowUp)
		s.shows("> one|")
		s.press(arrowUp)
		s.shows("> call {\n  1}|")
		s.press(arrowUp, arrowUp) // first to the first line, then to the entry before
		s.shows("> two|")
		s.press(arrowUp)
		s.shows("> two|")
		s.press(down, down, down, down, "w")
		s.shows("> new|")
		s.press(enterKey)
		s.reads("new")
	})
}

// Choices go around, so that down leads to the first one.
func TestHistoryAround(t *testing.T) {
	t.Parallel()
	editOn(t, 40, 5, &Line{Prompt: "> ", History: history("red", "green"), Around: true}, func(s *session) {
		s.press("x", down)
		s.shows("> red|")
		s.press(down, down)
		s.shows("> x|")
		s.press(arrowUp, arrowUp, arrowUp)
		s.shows("> x|")
		s.press(arrowUp, enterKey)
		s.reads("green")
	})
}

func TestSearchHistory(t *testing.T) {
	t.Parallel()
	editOn(t, 60, 6, &Line{Prompt: "> ", History: history("call add a=1", "read echo://text", "call echo message=hi")}, func(s *session) {
		s.press("typed", ctrlR, "call")
		s.shows(`search "call": |call echo message=hi`)
		s.press(ctrlR)
		s.shows(`search "call": |call add a=1`)
		s.press(ctrlR)
		s.shows(`not found "call": |call add a=1`)
		s.press(ctrlG)
		s.shows("> typed|")
		s.press(ctrlR, "add", backspace, "d", right)
		s.shows("> call a|dd a=1")
		s.press(ctrlR, "text", enterKey)
		s.reads("read echo://text")
	})
}

func TestMoreLines(t *testing.T) {
	t.Parallel()
	open := func(text string) bool { return strings.Count(text, "{") > strings.Count(text, "}") }
	editOn(t, 40, 6, &Line{Prompt: "> ", More: open}, func(s *session) {
		s.press(`call add {`, enterKey, `"a": 1`, enterKey)
		s.shows("> call add {\n  \"a\": 1\n  |")
		s.press("}", arrowUp, end, ",")
		s.shows("> call add {\n  \"a\": 1,|\n  }")
		s.press(down, enterKey)
		s.reads("call add {\n\"a\": 1,\n}")
		s.shows("> call add {\n  \"a\": 1,\n  }\n|")
	})
}

func TestPaste(t *testing.T) {
	t.Parallel()
	editOn(t, 40, 6, &Line{Prompt: "> "}, func(s *session) {
		s.press("a", "\x1b[200~{\r\n\t\"b\x1b]0;x\x07\": 1\r", "}\x1b[20", "1~c")
		s.shows("> a{\n      \"b]0;x\": 1\n  }c|")
		s.press(enterKey)
		s.reads("a{\n    \"b]0;x\": 1\n}c")
	})
	editOn(t, 40, 6, &Line{Prompt: "> "}, func(s *session) {
		s.press("\x1b[200~"+strings.Repeat("0123456789", maxLine/10+100)+"\x1b[201~", enterKey)
		if line := <-s.line; len(line) != maxLine {
			t.Errorf("%d runes were read", len(line))
		}
		if !strings.Contains(strings.Join(s.screen.scrolled, "\n"), "The line is full: 65536 characters.") {
			t.Errorf("the screen shows %s", s.screen)
		}
	})
}

func TestDrawsNoControlCharacters(t *testing.T) {
	t.Parallel()
	editOn(t, 60, 6, &Line{Prompt: "\x1b[2J> ", History: history("a\x1b]0;x\x07\u202e\U000e0041b")}, func(s *session) {
		s.press(arrowUp)
		s.shows(`\u001b[2J> a\u001b]0;x\u0007\u202e\U000e0041b|`)
	})
}

func TestEndOfInput(t *testing.T) {
	t.Parallel()
	l := &Line{Prompt: "> "}
	editOn(t, 40, 5, l, func(s *session) {
		s.press("half", ctrlC)
		s.reads("half<interrupted>")
		s.read(l)
		s.press(ctrlD)
		s.reads("<EOF>")
		s.read(l)
		s.press("rest")
		s.keys.Close()
		s.reads("rest<EOF>")
		s.read(l)
		s.reads("<EOF>")
	})
}

func TestContextEndsReadLine(t *testing.T) {
	t.Parallel()
	editOn(t, 40, 5, &Line{Prompt: "> "}, func(s *session) {
		s.press("typed")
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if text, err := s.ReadLine(ctx, &Line{Prompt: "Sure? "}); text != "" || err != context.DeadlineExceeded {
			t.Errorf("%q, %v", text, err)
		}
		s.shows("Sure? \n> typed|")
		s.press("!", enterKey)
		s.reads("typed!")
	})
}

func TestQuestionDuringALine(t *testing.T) {
	t.Parallel()
	editOn(t, 40, 5, &Line{Prompt: "> "}, func(s *session) {
		s.press("call ec")
		s.read(&Line{Prompt: "Name: "})
		s.shows("Name: |")
		s.press("Ada", enterKey)
		s.reads("Ada")
		s.shows("Name: Ada\n> call ec|")
		s.press("ho", enterKey)
		s.reads("call echo")
	})
}

func TestKeysAheadOfTheLine(t *testing.T) {
	t.Parallel()
	l := &Line{Prompt: "> "}
	editOn(t, 40, 5, l, func(s *session) {
		s.press("one\rtwo\rthr")
		s.reads("one")
		s.read(l)
		s.reads("two")
		s.read(l)
		s.press("ee", enterKey)
		s.reads("three")
	})
}

func TestPrintKeepsTheLine(t *testing.T) {
	t.Parallel()
	editOn(t, 20, 4, &Line{Prompt: "> "}, func(s *session) {
		s.press("some text that needs rows", left)
		s.Print("changed tools")
		s.shows("changed tools\n> some text that ne\neds row|s")
		s.Print("one\ntwo\n")
		s.shows("one\ntwo\n> some text that ne\neds row|s")
		s.press(enterKey)
		s.reads("some text that needs rows")
		s.Print("after\n")
		s.shows("> some text that ne\neds rows\nafter\n|")
	})
}

func TestHiddenLine(t *testing.T) {
	t.Parallel()
	editOn(t, 40, 4, &Line{Prompt: "Password: ", Secret: true}, func(s *session) {
		s.press("secret", ctrlU, ctrlY, "secret2")
		s.shows("Password: |")
		s.press(enterKey)
		s.reads("secret2")
	})
}

func TestResize(t *testing.T) {
	t.Parallel()
	editOn(t, 20, 6, &Line{Prompt: "> "}, func(s *session) {
		s.press("0123456789abcdefghijkl")
		s.shows("> 0123456789abcdefg\nhijkl|")
		s.screen.columns = 40
		s.Resize()
		s.shows("> 0123456789abcdefghijkl|")
		// A terminal that becomes narrower wraps the row itself.
		s.screen.columns = 10
		s.screen.cells = [][]string{strings.Split("> 01234567", ""), strings.Split("89abcdefgh", ""), strings.Split("ijkl", ""), nil, nil, nil}
		s.screen.row, s.screen.column = 2, 4
		s.Resize()
		s.shows("> 0123456\n789abcdef\nghijkl|")
		for _, size := range [][2]int{{1, 1}, {2, 1}, {3, 2}, {300, 100}} {
			f := layout("> ", []rune("0123"), 3, size[0], size[1])
			if len(f.rows) > size[1] || f.cursor >= len(f.rows) {
				t.Errorf("%v: %+v", size, f)
			}
		}
	})
}

func TestStyleOfThePrompt(t *testing.T) {
	t.Parallel()
	f := layout("> ", []rune("ab"), 1, 40, 5)
	if have := f.style("\x1b[1m", 0, f.before); have != "\x1b[1m> \x1b[0ma" {
		t.Errorf("%q", have)
	}
}

func TestManyLinesInHistory(t *testing.T) {
	t.Parallel()
	h := new(History)
	for i := range maxHistory + 10 {
		h.Add(fmt.Sprint(i))
	}
	h.Add("500")
	lines := h.Lines()
	if len(lines) != maxHistory || lines[0] != "10" || lines[maxHistory-1] != "500" || lines[maxHistory-2] != "1009" {
		t.Errorf("%d lines, %q … %q", len(lines), lines[0], lines[len(lines)-2:])
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	words := []string{"call", "complete", "prompt", "prompts"}
	l := &Line{Prompt: "> ", Complete: func(before string) (c Completion) {
		c.Start = strings.LastIndexByte(before, ' ') + 1
		for _, w := range words {
			if strings.HasPrefix(w, before[c.Start:]) {
				c.Candidates = append(c.Candidates, Candidate{Text: w})
			}
		}
		c.Note = "there is no such command"
		return c
	}}
	editOn(t, 40, 8, l, func(s *session) {
		s.press("cal", tab)
		s.shows("> call |")
		s.press("p", tab)
		s.shows("> call prompt|")
		s.press(tab)
		s.shows("prompt   prompts\n> call prompt|")
		s.press("x", tab)
		s.shows("prompt   prompts\nthere is no such command\n> call promptx|")
		s.press(home, wordForward, backspace, tab, enterKey)
		s.reads("call promptx")
	})
}

func TestHostileCandidates(t *testing.T) {
	t.Parallel()
	l := &Line{Prompt: "> "}
	l.Complete = func(before string) (c Completion) {
		if before == "one" {
			return Completion{Candidates: []Candidate{{Text: "x\x1b[2J\u202e\r\n"}}}
		}
		for i := range 100_000 {
			c.Candidates = append(c.Candidates, Candidate{Text: fmt.Sprint(i%10, "\x1b[31m", i, strings.Repeat("界", 50))})
		}
		return c
	}
	editOn(t, 70, 8, l, func(s *session) {
		s.press(tab)
		if have := s.screen.String(); !strings.Contains(have, "more\n> |") || !strings.Contains(have, "\ufffd[31m") {
			t.Errorf("the screen shows\n%s", have)
		}
		s.press("one", tab)
		s.press(enterKey)
		s.reads("x\ufffd[2J\ufffd\ufffd\ufffd ")
	})
}

func TestRawModeFails(t *testing.T) {
	t.Parallel()
	e := New(strings.NewReader(""), &strings.Builder{}, Options{Raw: func() (func(), error) { return nil, context.Canceled }})
	if _, err := e.ReadLine(t.Context(), &Line{}); err != context.Canceled {
		t.Error(err)
	}
	e.Resize()
	if len(e.stack) > 0 {
		t.Error("a line is being edited")
	}
}

func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"abc\r", "\x1b[A\x1b[D\x1b[1;5C", "\x1b[200~a\x1b[201~", "\x12a\x07", "e\u0301\x7f", "\xff\x1b\x1b[", "\x1b[200~\x1b[20"} {
		f.Add(seed, uint8(20), uint8(5))
	}
	f.Add("\u0605\U000e0041", uint8(4), uint8(2)) // escapes that are wider than the terminal
	f.Fuzz(func(t *testing.T, keys string, columns, rows uint8) {
		if len(keys) > 1000 || columns < 4 || rows < 1 {
			return
		}
		whole, split := []string{}, []string{}
		var w, s decoder
		collect := func(d *decoder, to *[]string) {
			for {
				k, ok := d.next()
				if !ok {
					return
				}
				if k.code == keyPaste {
					for _, r := range k.text {
						*to = append(*to, string(r))
					}
					continue
				}
				*to = append(*to, fmt.Sprint(k))
			}
		}
		w.pending = []byte(keys)
		collect(&w, &whole)
		for _, b := range []byte(keys) {
			s.pending = append(s.pending, b)
			collect(&s, &split)
		}
		if !strings.Contains(keys, "\r\n") && !strings.Contains(keys, pasteStart) && fmt.Sprint(whole) != fmt.Sprint(split) {
			t.Errorf("%q\nwhole %q\nsplit %q", keys, whole, split)
		}
		synctest.Test(t, func(t *testing.T) {
			e := New(strings.NewReader(keys), newScreen(t, int(columns), int(rows)), Options{
				Raw:  func() (func(), error) { return func() {}, nil },
				Size: func() (int, int) { return int(columns), int(rows) },
			})
			for range len(keys) + 1 {
				if _, err := e.ReadLine(context.Background(), &Line{Prompt: "> ", History: history("one", "two\nthree")}); err != nil && err != ErrInterrupted {
					return
				}
			}
		})
	})
}

// Close ends all lines and restores the terminal.
func TestClose(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	var out bytes.Buffer
	restored := 0
	e := New(in, &out, Options{
		Raw:  func() (func(), error) { return func() { restored++ }, nil },
		Size: func() (int, int) { return 40, 5 },
	})
	e.Close()
	done := make(chan error, 2)
	for range 2 {
		go func() { // ends with Close
			_, err := e.ReadLine(context.Background(), &Line{Prompt: "> "})
			done <- err
		}()
	}
	if !testutil.Eventually(func() bool { e.mu.Lock(); defer e.mu.Unlock(); return len(e.stack) == 2 }) {
		t.Fatal("no line is read")
	}
	e.Close()
	for range 2 {
		if err := <-done; err != io.EOF {
			t.Error(err)
		}
	}
	if restored != 1 {
		t.Errorf("the terminal was restored %d times", restored)
	}
	in.Close()
}

// A completed name can have a letter with many accents, which takes linear time.
func TestManyAccents(t *testing.T) {
	text := []rune("a" + strings.Repeat("\u0301", 10_000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	layout("> ", text, len(text), 80, 24)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 10<<20 {
		t.Errorf("%d bytes", n)
	}
}
