package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestSecretsOfCommandsAreMasked: neither errors of the start, of time-outs and of
// usage nor recordings show the secrets in the server's command.
func TestSecretsOfCommandsAreMasked(t *testing.T) {
	t.Parallel()
	echo := "while read -r line; do echo \"$line $*\" >&2; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"'\"$*\"'\"}}'; done"
	secrets := []string{"postgresql://user:hunter2pass@db/x", "--dsn", "mysql://hunter2user@h/x?password=hunter2query", "--api-key=hunter2key", "--access-token", "hunter2token"}
	for _, command := range [][]string{
		{"no-such-program"}, {"sleep", "10"}, {"sh", "-c", "exec sleep 10", "x"}, {"sh", "-c", "exit 3", "x"}, {"sh", "-c", echo, "x"},
		{"sh", "-c", "exec sleep 10 --api-key=hunter2key --access-token hunter2token"},
	} {
		var running sync.WaitGroup // most of them wait
		for _, before := range [][]string{
			{"tools"}, {"call", "echo"}, {"tools", "--json"}, {"tools", "--trace", "-"}, {"tools", "--record"}, {"login"}, {"tols"}, {"call", "echo", "--wrong"}, {"tools", "-H", "a"},
		} {
			running.Go(func() {
				args := append(slices.Clone(before), "--connect-timeout", "300ms")
				file := filepath.Join(t.TempDir(), "recording")
				if before[len(before)-1] == "--record" {
					args = slices.Insert(args, len(before), file)
				}
				args = slices.Concat(args, []string{"--"}, command, secrets)
				o := runCommand(t, args...)
				data, _ := os.ReadFile(file)
				if o.status == 0 || strings.Contains(o.stdout+o.stderr+string(data), "hunter2") {
					t.Errorf("%q %q: status %d\n%s%s%s", before, command, o.status, o.stdout, o.stderr, data)
				}
			})
		}
		running.Wait()
	}
}

// TestSecretsOfVariablesAreMasked: those that the server gets, by their names or with
// the whole environment, in what it writes to standard error and in messages.
func TestSecretsOfVariablesAreMasked(t *testing.T) {
	if !apart(t) {
		return
	}
	t.Setenv("API_KEY", "hunter2secret")
	echo := "echo \"starting with $API_KEY\" >&2; while read -r line; do echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"'\"$API_KEY\"'\"}}'; done"
	for _, passed := range [][]string{{"--inherit-env"}, {"-e", "API_KEY"}} {
		for _, command := range []string{"call", "proxy"} {
			file := filepath.Join(t.TempDir(), "recording")
			args := []string{command}
			if command == "call" {
				args = append(args, "echo", "-v", "--connect-timeout", "300ms")
			}
			args = slices.Concat(args, passed, []string{"--record", file, "--", "sh", "-c", echo})
			o := runCommandWithInput(t, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`+"\n", args...)
			data, _ := os.ReadFile(file)
			if len(data) == 0 || !strings.Contains(o.stderr, "starting with ***") || strings.Contains(o.stderr+string(data), "hunter2") {
				t.Errorf("%q %q: status %d\n%s\n%s\n%s", command, passed, o.status, o.stdout, o.stderr, data)
			}
		}
	}
}

// TestSecretNumbers: an error and a log with a secret that is a number are masked, and stay
// JSON, with a session and without.
func TestSecretNumbers(t *testing.T) {
	t.Parallel()
	server := append([]string{"-e", "DB_PASSWORD=7654321"}, shellServer(`	*'"tools/call"'*)
		echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"session":"a","pin":'$DB_PASSWORD'}}}'
		answer='"error":{"code":-32001,"message":"wrong","data":{"session":"a","pin":'$DB_PASSWORD'}}' ;;`)...)
	holdServer(t, append([]string{"pin"}, server...)...).begun(t)
	watched, said, _ := startWatch(t, "@pin", "--json")
	said.until(t, "Watching")
	for _, args := range [][]string{{"call", "@pin", "t", "--json"}, slices.Concat([]string{"call", "t", "--json"}, server)} {
		if o := runCommand(t, args...); !strings.Contains(o.stderr, `"data":{"session":"***","pin":"***"}`) {
			t.Errorf("%q: %+v", args, o)
		}
	}
	watched.until(t, `"pin":"***"`)
}

// TestRecordingOfSession: what a caller records does not show the secrets that only hold knows,
// and the caller prints results as they are.
func TestRecordingOfSession(t *testing.T) {
	t.Parallel()
	server := append([]string{"-e", "API_KEY=hunter2secret", "-e", `CREDENTIALS_JSON={"pin": 7654321,"of":["hunter2other"]}`}, shellServer(`	*'"tools/call"'*)
		echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'$API_KEY'"}}'
		echo '{"jsonrpc":"2.0","method":"\u0000mcpecho/masked","params":{"jsonrpc":"2.0","method":"imitated"}}'
		answer='"result":{"content":[{"type":"text","text":"'$API_KEY'"}],"structuredContent":{"key":'$CREDENTIALS_JSON'}}' ;;
	*'"prompts/list"'*) echo "$API_KEY" >&2; exit 3 ;;`)...)
	holdServer(t, append([]string{"rec"}, server...)...).begun(t)
	for _, args := range [][]string{{"call", "@rec", "t", "--json"}, {"raw", "@rec", "prompts/list"}} {
		file := filepath.Join(t.TempDir(), "recording")
		o := runCommand(t, append(args, "--record", file)...)
		data, err := os.ReadFile(file)
		if text := string(data); err != nil || strings.Contains(text, "hunter2") || strings.Contains(text, "7654321") || strings.Contains(text, "imitated") {
			t.Errorf("%q: %+v, %v\n%s", args, o, err, data)
		}
		if args[0] == "call" && (!strings.Contains(o.stdout, "hunter2secret") || !strings.Contains(string(data), `"structuredContent":{"key":{"pin":"***","of":["***"]}}`)) {
			t.Errorf("%+v\n%s", o, data)
		}
	}
}
