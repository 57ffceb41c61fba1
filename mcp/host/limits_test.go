package host_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// limitedHost returns a host with a tool that returns result.
func limitedHost(t testing.TB, limits *host.ResultLimits, result any) (*host.Host, *host.Tool) {
	s := mcptest.New(t)
	s.Tool("tool", nil, func(*mcptest.Call) (any, error) { return result, nil })
	h := hostOf(t, host.Options{Limits: limits}, map[string]*mcptest.Server{"s": s})
	return h, h.Tool("mcp__s__tool")
}

// lines returns n lines of 10 bytes.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %04d\n", i)
	}
	return b.String()
}

func TestLongTextKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	whole := lines(100)
	_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 95}, whole)
	text, err := tool.Execute(t.Context(), nil)
	want := lines(6) + "[910 of 1000 bytes (92 lines) are missing here]\n" + lines(100)[970:]
	if err != nil || text != want {
		t.Errorf("%v\n%s\nwant\n%s", err, text, want)
	}
	for _, short := range []string{lines(9), "", "x"} {
		_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 90}, short)
		if text, err := tool.Execute(t.Context(), nil); err != nil || text != short && short != "" {
			t.Errorf("%q becomes %q, %v", short, text, err)
		}
	}
}

func TestTextIsNeverCutWithinACharacter(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("\u00e9\u65e5\U0001f600", 100)
	for limit := 1; limit < 60; limit++ {
		_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: limit}, whole)
		text, err := tool.Execute(t.Context(), nil)
		note := strings.Index(text, "\n[")
		end := strings.LastIndex(text, "]\n") + 2
		if err != nil || !utf8.ValidString(text) || note+len(text)-end > limit || !strings.HasPrefix(whole, text[:note]) || !strings.HasSuffix(whole, text[end:]) {
			t.Errorf("limit %d: %q, %v", limit, text, err)
		}
	}
}

func TestWholeTextIsInAFileUntilShutdown(t *testing.T) {
	t.Parallel()
	folder, whole := filepath.Join(t.TempDir(), "a", "b"), lines(100)
	h, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 90, Folder: folder}, whole)
	text, err := tool.Execute(t.Context(), nil)
	path := regexp.MustCompile(`missing here; the whole is in (.*)\]`).FindStringSubmatch(text)
	if err != nil || path == nil || !filepath.IsAbs(path[1]) || !strings.HasPrefix(path[1], folder) {
		t.Fatalf("%s, %v", text, err)
	}
	got, err := os.ReadFile(path[1])
	if err != nil || string(got) != whole {
		t.Errorf("the file has %d bytes, %v", len(got), err)
	}
	if info, err := os.Stat(path[1]); err != nil || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("after Shutdown: %v, %v", left, err)
	}
}

func TestFolderOfResultsIsBounded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 10, Folder: folder, MaxFolder: 2500}, lines(100))
	for range 5 {
		if text, err := tool.Execute(t.Context(), nil); err != nil || !strings.Contains(text, "the whole is in") {
			t.Fatalf("%s, %v", text, err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*", "*"))
	if len(files) != 2 {
		t.Errorf("%q", files)
	}
	_, tool = limitedHost(t, &host.ResultLimits{MaxResultText: 10, Folder: folder, MaxFolder: 999}, lines(100))
	if text, err := tool.Execute(t.Context(), nil); err != nil || !strings.Contains(text, "could not be stored: it is larger than 999 bytes") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestFolderThatCannotBeWrittenDoesNotFailACall(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 10, Folder: filepath.Join(file, "x")}, lines(10))
	if text, err := tool.Execute(t.Context(), nil); err != nil || !strings.Contains(text, "are missing here; the whole could not be stored: ") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestLargeImagesBecomeFiles(t *testing.T) {
	t.Parallel()
	image := bytes.Repeat([]byte{1, 2, 3}, 400)
	result := &mcp.CallToolResult{Content: []mcp.Content{
		mcp.TextContent("before"), mcp.ImageContent(image, "image/png"), mcp.ImageContent([]byte("small"), "image/png"),
		mcp.TextContent(lines(100)),
		{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "x:y", MIMEType: "application/pdf", Blob: base64.StdEncoding.EncodeToString(image)}},
	}}
	folder := t.TempDir()
	_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 60, MaxResultData: 1000, Folder: folder}, result)
	res, err := tool.Call(t.Context(), nil)
	if err != nil || len(res.Content) != 4 {
		t.Fatalf("%+v, %v", res, err)
	}
	if text := res.Content[0].Text; !strings.HasPrefix(text, "before\nline 0000\n") || !strings.HasSuffix(text, "]\nline 0098\nline 0099\n") {
		t.Errorf("text %q", text)
	}
	if res.Content[2].Type != mcp.ContentImage {
		t.Errorf("the small image became %+v", res.Content[2])
	}
	for _, i := range []int{1, 3} {
		m := regexp.MustCompile(`^\[not shown: (image image/png|resource application/pdf), 1200 bytes; the whole is in (.*\.(png|pdf))\]$`).FindStringSubmatch(res.Content[i].Text)
		if m == nil {
			t.Fatalf("%+v", res.Content[i])
		}
		if got, err := os.ReadFile(m[2]); err != nil || !bytes.Equal(got, image) {
			t.Errorf("the file has %d bytes, %v", len(got), err)
		}
	}
	_, tool = limitedHost(t, &host.ResultLimits{MaxResultData: 1000}, result)
	if text, err := tool.Execute(t.Context(), nil); err != nil || !strings.Contains(text, "[not shown: image image/png, 1200 bytes]") {
		t.Errorf("without a folder: %s, %v", text, err)
	}
}

// TestDataOfAResultIsLimited: many images that are small enough count together, except
// those that only the user sees.
func TestDataOfAResultIsLimited(t *testing.T) {
	t.Parallel()
	forUser := mcp.ImageContent(make([]byte, 900), "image/png")
	forUser.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}
	res := &mcp.CallToolResult{Content: []mcp.Content{forUser, mcp.TextContent("text")}}
	for i := range 50 {
		res.Content = append(res.Content, mcp.ImageContent(make([]byte, 900), "image/png"), mcp.AudioContent(make([]byte, 10+i), "audio/wav"))
	}
	for limit, want := range map[int]int{1000: 4000, 100: 400, 0: 50*900 + 50*10 + 49*25, -1: 50*900 + 50*10 + 49*25} {
		_, tool := limitedHost(t, &host.ResultLimits{MaxResultData: limit, MaxResultText: -1}, res)
		got, err := tool.Call(t.Context(), nil)
		if err != nil || len(got.Content) != len(res.Content) {
			t.Fatal(len(got.Content), err)
		}
		sum, notes := 0, 0
		for _, c := range got.Content[1:] {
			data, _ := c.Bytes()
			if sum += len(data); strings.HasPrefix(c.Text, "[not shown: ") {
				notes++
			}
		}
		if sum > want || sum < want*9/10 || (notes > 0) != (limit > 0) {
			t.Errorf("limit %d: %d bytes, %d notes", limit, sum, notes)
		}
	}
}

// TestManySmallImages: providers refuse a request with thousands of images, and each image
// that is not shown would become a file.
func TestManySmallImages(t *testing.T) {
	t.Parallel()
	for _, first := range []int{1, 500} { // bytes of the first five; the second leaves no room
		res := &mcp.CallToolResult{}
		for i := range 1000 {
			n := 1
			if i < 5 {
				n = first
			}
			res.Content = append(res.Content, mcp.ImageContent(make([]byte, n), "image/png"))
		}
		folder := t.TempDir()
		_, tool := limitedHost(t, &host.ResultLimits{MaxResultData: 500, MaxResultText: 100_000, Folder: folder}, res)
		got, err := tool.Call(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		images := 0
		for _, c := range got.Content {
			if c.Type == mcp.ContentImage {
				images++
			}
		}
		files, _ := filepath.Glob(filepath.Join(folder, "*", "*"))
		if images > 100 || len(files) > 100 || images+len(files) != 100 || len(got.Content) != 1000 {
			t.Errorf("%d of %d blocks are images, %d files", images, len(got.Content), len(files))
		}
	}
}

func TestStructuredContentRemainsWholeForPrograms(t *testing.T) {
	t.Parallel()
	big := `{"a":"` + strings.Repeat("x", 1000) + `"}`
	_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 100}, &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: mcp.RawMessage(big)})
	res, err := tool.Call(t.Context(), nil)
	if err != nil || len(res.StructuredContent) != len(big) || len(host.Text(res)) > 250 || !strings.Contains(host.Text(res), "are missing here") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestAllThatAModelSeesIsLimited(t *testing.T) {
	t.Parallel()
	const limit = 1000
	big := strings.Repeat("x", 100_000)
	image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))
	link := mcp.Content{Type: mcp.ContentResourceLink, URI: "x:y", Name: "n"}
	repeat := func(c mcp.Content, n int) (list []mcp.Content) {
		for range n {
			list = append(list, c)
		}
		return list
	}
	for name, content := range map[string][]mcp.Content{
		"a URI":                {{Type: mcp.ContentResourceLink, URI: big, Name: "n"}},
		"a name":               {{Type: mcp.ContentResourceLink, URI: "x:y", Name: big}},
		"a title":              {{Type: mcp.ContentResourceLink, URI: "x:y", Name: "n", Title: big}},
		"a description":        {{Type: mcp.ContentResourceLink, URI: "x:y", Name: "n", Description: big}},
		"a type":               {{Type: mcp.ContentImage, MIMEType: "image/" + big, Data: image}},
		"a type of audio":      {{Type: mcp.ContentAudio, MIMEType: big, Data: image}},
		"a type of a resource": {{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: big, MIMEType: big, Blob: "AAAA", IsBlob: true}}},
		"a type and data":      {{Type: mcp.ContentAudio, MIMEType: big, Data: strings.Repeat("A", 2_000_000)}},
		"an unknown type":      {{Type: mcp.ContentType(big), Raw: mcp.RawMessage(`{"type":"` + big + `"}`)}},
		"many links":           repeat(link, 5000),
		"many images":          repeat(mcp.Content{Type: mcp.ContentImage, MIMEType: "image/png", Data: image}, 2000),
		"a blob of text":       {{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{MIMEType: "text/csv", Blob: strings.Repeat("YSxi", 20_000), IsBlob: true}}},
		"blank text":           {mcp.TextContent(" \n")},
		"other text":           {mcp.TextContent("text")},
		"nothing":              {},
	} {
		res := &mcp.CallToolResult{Content: content}
		if name == "blank text" || name == "other text" || name == "nothing" {
			res.StructuredContent = mcp.RawMessage(`{"a":"` + big + `"}`)
		}
		_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: limit}, res)
		got, err := tool.Call(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.StructuredContent) != len(res.StructuredContent) {
			t.Errorf("%s: the structured content has %d bytes", name, len(got.StructuredContent))
		}
		for i, out := range []string{host.Text(got), string(schema.AnthropicResult("i", got)), string(schema.OpenAIResult("i", got)), string(schema.OpenAIResponsesResult("i", got)), string(schema.GeminiResult("n", got))} {
			if len(out) > limit+4000 || name != "many images" && name != "a type and data" && !strings.Contains(out, "are missing here") {
				t.Errorf("%s, format %d: %d bytes: %.300s", name, i, len(out), out)
			}
		}
	}
}

func TestTextsOfErrorsAreLimited(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("tool", nil, func(*mcptest.Call) (any, error) {
		return nil, &jsonrpc.Error{Code: -32000, Message: strings.Repeat("x", 3_000_000)}
	})
	h := hostOf(t, host.Options{Limits: &host.ResultLimits{MaxResultText: 1000}}, map[string]*mcptest.Server{"s": s})
	_, err := h.Call(t.Context(), "mcp__s__tool", nil)
	if err == nil || len(err.Error()) > 1500 || !strings.Contains(err.Error(), "are missing here") {
		t.Errorf("%.2000v", err)
	}
	if of := (*jsonrpc.Error)(nil); !errors.As(err, &of) {
		t.Errorf("the error of the server is lost")
	}
}

// TestTextsOfSearchAreLimited: what search_tools returns has the texts of servers.
func TestTextsOfSearchAreLimited(t *testing.T) {
	s := mcptest.New(t)
	s.SetTool(&mcp.Tool{Name: "mail", Description: strings.Repeat("x", 100_000), InputSchema: mcp.RawMessage(`{"type":"object"}`)}, answer("sent"))
	s.Tool("fail", nil, func(*mcptest.Call) (any, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{mcp.TextContent(strings.Repeat("x", 100_000))}}, nil
	})
	h := hostOf(t, host.Options{Limits: &host.ResultLimits{MaxResultText: 1000}}, map[string]*mcptest.Server{"s": s})
	h.ToolSearch(nil)
	text, err := h.Execute(t.Context(), "search_tools", mcp.RawMessage(`{"query":"mail"}`))
	if err != nil || len(text) > 1200 || !strings.Contains(text, "are missing here") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := h.Execute(t.Context(), "mcp__s__fail", nil); !errors.Is(err, host.ErrTool) {
		t.Error(err)
	}
	if st, err := h.ServerStatus("s"); err != nil || len(st.Metrics.LastError) > 5000 {
		t.Errorf("the last error in the status has %d bytes, %v", len(st.Metrics.LastError), err)
	}
}

func TestStructuredContentBesideText(t *testing.T) {
	t.Parallel()
	for want, res := range map[string]*mcp.CallToolResult{
		"body\n{\"kind\":\"x\"}": {Content: []mcp.Content{mcp.TextContent("body")}, StructuredContent: mcp.RawMessage(`{"kind":"x"}`)},
		"{\"a\": 1}":             {Content: []mcp.Content{mcp.TextContent(`{"a": 1}`)}, StructuredContent: mcp.RawMessage(`{"a":1}`)},
		"hello":                  {Content: []mcp.Content{mcp.TextContent("hello")}, StructuredContent: mcp.RawMessage(`{"result":"hello"}`)},
		"a\nb":                   {Content: []mcp.Content{mcp.TextContent("a"), mcp.TextContent("b")}, StructuredContent: mcp.RawMessage(`{"result":["a","b"]}`)},
		"[image content: image/png, 18 bytes]": {Content: []mcp.Content{{Type: mcp.ContentImage, MIMEType: "image/png", Data: "iVBORw0KGgoAAAAAAAAAAAAA"}},
			StructuredContent: mcp.RawMessage(`{"result":[{"type":"image","data":"iVBORw0KGgoAAAAAAAAAAAAA"}]}`)},
	} {
		_, tool := limitedHost(t, &host.ResultLimits{}, res)
		if text, err := tool.Execute(t.Context(), nil); err != nil || text != want {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
	}
}

func TestLimitsOfAServer(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("tool", nil, answer(lines(10)))
	c := config.Parse([]byte(`{"mcpServers":{"s":{"type":"sdk","maxResultText":40}}}`), "", "")
	h := newHost(t, &host.Options{Limits: &host.ResultLimits{}, Dialers: host.Dialers{config.SDK: s.Dialer()}})
	if err := h.SetServers(t.Context(), c.Servers).Err(); err != nil {
		t.Fatal(err)
	}
	if text, err := h.Execute(t.Context(), "mcp__s__tool", nil); err != nil || !strings.Contains(text, "are missing here") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestResultsWithoutLimitsAreWhole(t *testing.T) {
	t.Parallel()
	for _, limits := range []*host.ResultLimits{nil, {}} { // the default is 50,000
		_, tool := limitedHost(t, limits, strings.Repeat("x", 50_000))
		if text, err := tool.Execute(t.Context(), nil); err != nil || len(text) != 50_000 {
			t.Errorf("%+v: %d bytes, %v", limits, len(text), err)
		}
	}
}

func ExampleResultLimits() {
	ctx := context.Background()
	h := exampleHost(ctx, &host.Options{Limits: &host.ResultLimits{MaxResultText: 12}}) // with a Folder, the whole goes to a file
	defer h.Shutdown(ctx)
	fmt.Println(h.Execute(ctx, "mcp__echo__echo", []byte(`{"message":"a long story without an end"}`)))
	// Output:
	// a long s
	// [15 of 27 bytes (1 lines) are missing here]
	//  end <nil>
}
