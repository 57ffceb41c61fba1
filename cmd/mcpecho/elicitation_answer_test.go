package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestAnswers: a script answers the questions of a server with --answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(file, []byte(`{"name":"Ada","age":36}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const rest = `,"subscribe":false}}` + "\n"
	for _, version := range bothEras {
		for answer, want := range map[string]string{
			"name=Ada":                          `{"action":"accept","content":{"color":"green","name":"Ada"` + rest,
			`{"name":"Ada","age":36}`:           `{"action":"accept","content":{"age":36,"color":"green","name":"Ada"` + rest,
			"@" + file:                          `{"action":"accept","content":{"age":36,"color":"green","name":"Ada"` + rest,
			"name=Ada age=36 color=red age:=37": `{"action":"accept","content":{"age":37,"color":"red","name":"Ada"` + rest,
			"decline":                           `{"action":"decline"}` + "\n",
			"cancel":                            `{"action":"cancel"}` + "\n",
		} {
			args := []string{"call", "ask_elicitation", "--protocol", version, "-q"}
			for one := range strings.SplitSeq(answer, " ") {
				args = append(args, "--answer", one)
			}
			runWithServer(t, args...).want(t, 0, want, "")
		}
	}
	o := runWithServer(t, "prompt", "introduce", "--answer", "name=Ada")
	if o.status != 0 || !strings.Contains(o.stdout, `"name":"Ada"`) {
		t.Errorf("%+v", o)
	}
	// Without an answer, mcpecho says how to give one.
	runWithServer(t, "call", "ask_elicitation").want(t, 0, `{"action":"decline"}`+"\n",
		"Declined a question of the server, because this is not a terminal: What is your name?\nTo answer it in advance, add --answer FIELD=VALUE for each of name, age, subscribe, color.\n")
}

// An answer that does not fit fails the command, whatever the tool makes of it.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	const fields = "\n\tname  required\n\tage  a whole number, at least 0, at most 150\n\tsubscribe  yes or no, default no\n\tcolor  one of red, green, blue, default green\n"
	for answer, want := range map[string]string{
		"accept":               `"name" is required`,
		"nmae=Ada":             `"name" is required, and there is no field "nmae"`,
		"name=":                `"name" cannot be "": shorter than 1 characters`,
		"name=Ada age=old":     `"age" cannot be "old": enter a number`,
		"name=Ada age=200":     `"age" cannot be "200": above the maximum of 150`,
		"name=Ada color=mauve": `"color" cannot be "mauve": enter one of the choices`,
	} {
		args := []string{"call", "ask_elicitation"}
		for one := range strings.SplitSeq(answer, " ") {
			args = append(args, "--answer", one)
		}
		o := runWithServer(t, args...)
		if o.status != failure.Usage || o.stdout != `{"action":"cancel"}`+"\n" || !strings.Contains(o.stderr, want) ||
			!strings.Contains(o.stderr, "; add --answer FIELD=VALUE for each of name, age, subscribe, color\n") || !strings.HasSuffix(o.stderr, fields) {
			t.Errorf("%s: %+v", answer, o)
		}
	}
	runWithServer(t, "call", "ask_elicitation", "--answer", "name=Ada", "--answer", "nick=A").want(t, 0,
		`{"action":"accept","content":{"color":"green","name":"Ada","subscribe":false}}`+"\n", "The question has no field nick: What is your name?")
	for flag, want := range map[string]string{
		"Ada":            "must be K=V, a JSON object, @FILE with one, accept, decline or cancel",
		"{name: 'Ada'}":  "--answer: JSON: ",
		"@no-such-file":  "no-such-file",
		"yes":            "decline or cancel",
		"name:=Ada":      `the value of "name" is not JSON`,
		"@/":             "neither a regular file nor a pipe",
		`{"name":"Ada"`:  "--answer: ",
		"=Ada":           "must be K=V",
		"@" + os.DevNull: "neither a regular file nor a pipe",
	} {
		if o := runWithServer(t, "call", "ask_elicitation", "--answer", flag); o.status != failure.Usage || !strings.Contains(o.stderr, want) || o.stdout != "" {
			t.Errorf("%s: %+v", flag, o)
		}
	}
}

// In a shell, each command may have its own answer, and the shell one for all.
func TestAnswersInTheShell(t *testing.T) {
	t.Parallel()
	o := runScript(t, "call ask_elicitation --answer name=One\ncall ask_elicitation --answer decline\ncall ask_elicitation\n", "--answer", "name=All", "-q")
	if want := `{"action":"accept","content":{"color":"green","name":"One","subscribe":false}}` + "\n" + `{"action":"decline"}` + "\n" +
		`{"action":"accept","content":{"color":"green","name":"All","subscribe":false}}` + "\n"; o.stdout != want || o.status != 0 {
		t.Errorf("%+v", o)
	}
	o = runScript(t, "call ask_elicitation --answer nmae=One\ncall ask_elicitation", "-q")
	if o.status != failure.Usage || !strings.Contains(o.stderr, `there is no field "nmae"`) || !strings.HasSuffix(o.stdout, `{"action":"decline"}`+"\n") {
		t.Errorf("%+v", o)
	}
}

// A page is opened only by the user; --answer accept agrees that it is.
func TestAnswersToPages(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("pay", nil, func(c *mcptest.Call) (any, error) {
		res, err := c.OpenURL("Pay", "https://example.com/pay", "1")
		if err != nil {
			return nil, err
		}
		return string(res.Action), nil
	})
	url := s.StartHTTP(nil).URL
	for answer, want := range map[string]string{"accept": string(mcp.ElicitAccept), "decline": string(mcp.ElicitDecline), "name=Ada": string(mcp.ElicitDecline)} {
		o := runCommand(t, "call", url, "pay", "--answer", answer)
		if o.status != 0 || o.stdout != want+"\n" || answer == "accept" && !strings.Contains(o.stderr, "The server asks you to open a page: https://example.com/pay\n") {
			t.Errorf("%s: %+v", answer, o)
		}
	}
}

// The suggestions of a call that asks two questions lead to the answers of both.
func TestAnswersToTwoQuestions(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("order", nil, func(c *mcptest.Call) (any, error) {
		first, err := c.Elicit("What?", json.RawMessage(`{"type":"object","properties":{"dish":{"type":"string"}},"required":["dish"]}`))
		if err != nil || first.Action != mcp.ElicitAccept {
			return "nothing", err
		}
		second, err := c.Elicit("How many?", json.RawMessage(`{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`))
		if err != nil || second.Action != mcp.ElicitAccept {
			return "no number", err
		}
		return "ordered", nil
	})
	line := []string{"call", s.StartHTTP(nil).URL, "order", "--answer", "count=2"}
	for range 3 {
		o := runCommand(t, line...)
		if o.status == 0 && o.stdout == "ordered\n" {
			return
		}
		if !strings.Contains(o.stderr, "add --answer FIELD=VALUE for each of ") {
			t.Fatal(o)
		}
		line = append(line, "--answer", "dish=dal")
	}
	t.Errorf("led to mcpecho %q", line)
}
