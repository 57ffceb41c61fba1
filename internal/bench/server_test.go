package bench

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The server costs next to nothing, so that the client is what is measured: it
// looks for the few bytes that tell it what to answer and parses nothing.

// serverEnv makes the test binary be the server.
const serverEnv = "STDMCP_BENCH_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverEnv); kind != "" {
		if err := serve(os.Stdin, os.Stdout, kind); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// bigSize is the length of the text that the tool "big" returns.
const bigSize = 1 << 20

// result returns the tail of an answer, after its id.
func result(s string) string { return `,"result":` + s + "}\n" }

var (
	smallAnswer    = result(`{"content":[{"type":"text","text":"Echo: hello"}]}`)
	bigAnswer      = result(`{"content":[{"type":"text","text":"` + strings.Repeat("All work and no play. ", bigSize/22) + `"}]}`)
	toolsAnswer    = result(`{"tools":[` + strings.Join(tools(50), ",") + `]}`)
	discoverAnswer = result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`)
	initAnswer     = result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`)
	noMethod       = `,"error":{"code":-32601,"message":"no such method"}}` + "\n"
)

// tools returns the definitions of n tools like those of real servers.
func tools(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = `{"name":"tool_` + strconv.Itoa(i) + `","description":"Does the work number ` + strconv.Itoa(i) +
			` on the thing that it is given.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where the thing is"},` +
			`"depth":{"type":"integer","minimum":0}},"required":["path"]},"annotations":{"readOnlyHint":true}}`
	}
	return list
}

// serve is the server of a kind: "legacy" or "modern", over HTTP with "http-"
// in front.
func serve(in io.Reader, out io.Writer, kind string) error {
	era, overHTTP := strings.CutPrefix(kind, "http-")
	modern := era == "modern"
	if overHTTP {
		return serveHTTP(in, out, modern)
	}
	r := bufio.NewReaderSize(in, 64<<10)
	var b []byte
	for {
		line, err := r.ReadSlice('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		id := between(line, `"id":`, ",")
		if id == nil {
			continue
		}
		b = append(append(b[:0], `{"jsonrpc":"2.0","id":`...), id...)
		b = append(b, answer(string(between(line, `"method":"`, `"`)), string(between(line, `"name":"`, `"`)), modern)...)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
}

func answer(method, name string, modern bool) string {
	switch {
	case method == "tools/call" && name == "big":
		return bigAnswer
	case method == "tools/call":
		return smallAnswer
	case method == "tools/list":
		return toolsAnswer
	case method == "server/discover" && modern:
		return discoverAnswer
	case method == "initialize":
		return initAnswer
	}
	return noMethod
}

// between returns what stands between before and after in line, or nil.
func between(line []byte, before, after string) []byte {
	_, rest, ok := bytes.Cut(line, []byte(before))
	if !ok {
		return nil
	}
	value, _, _ := bytes.Cut(rest, []byte(after))
	return value
}
