// Command providers sends the schemas of the corpus to the APIs of model providers, and
// writes what they answer: whether the rules of package schema are theirs.
//
//	go run -C internal/lab ./providers [-own] [-corpus FILE] [PROVIDER…] >answers.jsonl
//	go run -C internal/lab ./providers -record FOLDER >../../mcp/host/schema/testdata/tools/tools.jsonl
//
// It asks the providers whose key is in the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY,
// GEMINI_API_KEY, or VERTEX_TOKEN with VERTEX_URL (of generateContent). ANTHROPIC_MODEL,
// OPENAI_MODEL and GEMINI_MODEL name other models. Each schema is a request of its own, which
// a provider bills with some hundred tokens. -own sends the schemas as servers have them,
// which shows what a provider rejects; without it, each answer is to be 200. The command is
// not a part of CI. -record asks no provider: it writes the tools of the servers that
// scripts/interop all installs in FOLDER, with short descriptions.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// An api is the API of a provider. Its request has %s in place of the definition.
type api struct {
	name, key    string // key is the variable of the environment
	define       schema.Definer
	own          string // a definition with the schema as it is
	url          string
	header, auth string // auth is before the key
	request      string
}

func apis() []api {
	model := func(variable, usual string) string { return cmp.Or(os.Getenv(variable), usual) }
	claude, gpt, gemini := model("ANTHROPIC_MODEL", "claude-haiku-4-5"), model("OPENAI_MODEL", "gpt-5-mini"), model("GEMINI_MODEL", "gemini-2.5-flash")
	google := `{"contents":[{"role":"user","parts":[{"text":"Say hi."}]}],"tools":[{"functionDeclarations":[%s]}],"generationConfig":{"maxOutputTokens":16}}`
	geminiURL := "https://generativelanguage.googleapis.com/v1beta/models/" + gemini + ":generateContent"
	return []api{
		{"anthropic", "ANTHROPIC_API_KEY", schema.Anthropic, `{"name":"t","description":"d","input_schema":%s}`, "https://api.anthropic.com/v1/messages", "x-api-key", "",
			`{"model":"` + claude + `","max_tokens":1,"messages":[{"role":"user","content":"Say hi."}],"tools":[%s]}`},
		{"openai", "OPENAI_API_KEY", schema.OpenAI, `{"type":"function","function":{"name":"t","description":"d","parameters":%s}}`, "https://api.openai.com/v1/chat/completions", "Authorization", "Bearer ",
			`{"model":"` + gpt + `","max_completion_tokens":16,"messages":[{"role":"user","content":"Say hi."}],"tools":[%s]}`},
		{"openai-responses", "OPENAI_API_KEY", schema.OpenAIResponses, `{"type":"function","strict":false,"name":"t","description":"d","parameters":%s}`, "https://api.openai.com/v1/responses", "Authorization", "Bearer ",
			`{"model":"` + gpt + `","max_output_tokens":16,"input":"Say hi.","tools":[%s]}`},
		{"gemini", "GEMINI_API_KEY", schema.Gemini, `{"name":"t","description":"d","parametersJsonSchema":%s}`, geminiURL, "x-goog-api-key", "", google},
		{"gemini-parameters", "GEMINI_API_KEY", schema.GeminiParameters, `{"name":"t","description":"d","parameters":%s}`, geminiURL, "x-goog-api-key", "", google},
		{"vertex", "VERTEX_TOKEN", schema.Vertex, `{"name":"t","description":"d","parametersJsonSchema":%s}`, os.Getenv("VERTEX_URL"), "Authorization", "Bearer ", google},
	}
}

// A tool is a tool with the given schema.
type tool string

func (tool) Name() string                  { return "t" }
func (tool) Description() string           { return "d" }
func (t tool) InputSchema() mcp.RawMessage { return mcp.RawMessage(t) }

func main() {
	own := flag.Bool("own", false, "send the schemas as servers have them")
	corpus := flag.String("corpus", "../../mcp/host/schema/testdata/corpus.json", "a JSON array of schemas")
	npm := flag.String("record", "", "write the tools of the servers in this folder node_modules")
	flag.Parse()
	if *npm != "" {
		if err := record(*npm, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	text, err := os.ReadFile(*corpus)
	var schemas []json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &schemas)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	rejected, asked := 0, 0
	for _, a := range apis() {
		if os.Getenv(a.key) == "" || a.url == "" || flag.NArg() > 0 && !slices.Contains(flag.Args(), a.name) {
			continue
		}
		for _, s := range schemas {
			definition := fmt.Sprintf(a.own, s)
			if !*own {
				d, err := a.define(tool(s))
				if err != nil {
					fmt.Fprintln(os.Stderr, a.name, err)
					continue
				}
				definition = string(d)
			}
			status, answer := a.ask(definition)
			if asked++; status != http.StatusOK {
				rejected++
			}
			line, _ := json.Marshal(map[string]any{"provider": a.name, "schema": s, "definition": json.RawMessage(definition), "status": status, "answer": answer})
			os.Stdout.Write(append(line, '\n'))
		}
	}
	fmt.Fprintln(os.Stderr, asked, "definitions sent,", rejected, "rejected")
}

// ask sends a definition. The answer is empty if the provider accepts it.
func (a api) ask(definition string) (status int, answer string) {
	for wait := time.Second; ; wait *= 2 {
		req, err := http.NewRequest(http.MethodPost, a.url, bytes.NewReader(fmt.Appendf(nil, a.request, definition)))
		if err != nil {
			return 0, err.Error()
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("anthropic-version", "2023-06-01")
		req.Header.Set(a.header, a.auth+os.Getenv(a.key))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		res.Body.Close()
		if (res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500) && wait < time.Minute {
			if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
				wait = time.Duration(s) * time.Second
			}
			time.Sleep(wait)
			continue
		}
		if res.StatusCode == http.StatusOK {
			return res.StatusCode, ""
		}
		var failure struct{ Error struct{ Message string } }
		_ = json.Unmarshal(body, &failure)
		return res.StatusCode, cmp.Or(failure.Error.Message, string(body))
	}
}
