package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// programs are the servers that the tests start.
var programs = map[string]func(*mcptest.Server){"weather": weather, "hostile": hostile, "busy": busy, "odd": odd, "large": large}

// forecastSchema is that of the tool forecast. The environment variable CHANGED names a
// file that, when it exists, changes it, as an edit of the server's source would.
const forecastSchema = `{"type":"object","properties":{
	"city":{"type":"string","description":"The city, as people write it","examples":["Lisbon"]},
	"days":{"type":"integer","minimum":1,"maximum":10,"default":3},
	"units":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"},
	"alerts":{"type":"boolean","description":"Include warnings"},
	"hours":{"type":"array","items":{"type":"integer","minimum":0,"maximum":23}}
},"required":["city"]}`

func weather(s *mcptest.Server) {
	s.Name, s.Version = "weather", "1.4.0"
	s.Instructions = "Ask for the forecast of a city."
	schema, title := forecastSchema, "Weather forecast"
	if _, err := os.Stat(os.Getenv("CHANGED")); err == nil {
		schema = strings.Replace(schema, `"units":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"},`, `"units":{"type":"string","enum":["celsius"]},`, 1)
		s.Tool("tides", `{"type":"object","properties":{"harbor":{"type":"string"}}}`, func(c *mcptest.Call) (any, error) { return "high at noon", nil }).Description = "When the tide is high"
	} else {
		s.Tool("moon", nil, func(c *mcptest.Call) (any, error) { return "waxing", nil }).Description = "The phase of the moon"
	}
	forecast := s.Tool("forecast", schema, func(c *mcptest.Call) (any, error) {
		fmt.Fprintln(os.Stderr, "forecast: asking the station of", c.Text("city"))
		for i := range 3 {
			c.Progress(float64(i+1), 3, "station "+fmt.Sprint(i+1))
		}
		type day struct {
			Date string  `json:"date"`
			High float64 `json:"high"`
			Low  float64 `json:"low"`
			Sky  string  `json:"sky"`
		}
		s.Updated("weather://stations")
		days := []day{{"2026-11-23", 17.5, 11, "sunny"}, {"2026-11-24", 16, 10.5, "cloudy"}, {"2026-11-25", 14.25, 9, "rain"}}
		return map[string]any{"city": c.Text("city"), "units": "celsius", "days": days}, nil
	})
	forecast.Title, forecast.Description = title, "The weather of the next days in a city, from the nearest station."
	read := true
	forecast.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: &read, OpenWorldHint: &read}
	forecast.OutputSchema = mcp.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"units":{"type":"string"},"days":{"type":"array","items":{"type":"object","properties":{"high":{"type":"number"}},"required":["high"]}}},"required":["city","days"]}`)
	s.Tool("book_trip", `{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}`, func(c *mcptest.Call) (any, error) {
		res, err := c.Elicit("Which seat do you want?", `{"type":"object","properties":{"seat":{"type":"string","enum":["window","aisle"]},"meal":{"type":"boolean","title":"With a meal"}},"required":["seat"]}`)
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(res.Action, " ", res.Content["seat"]), nil
	}).Description = "Asks where you want to sit"
	s.Tool("radar", nil, func(c *mcptest.Call) (any, error) {
		<-c.Context().Done()
		return nil, c.Context().Err()
	}).Description = "Never responds"
	s.Tool("station", `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, func(c *mcptest.Call) (any, error) {
		return nil, fmt.Errorf("no station %q", c.Text("id"))
	}).Description = "Reports an error"
	s.Resource("weather://stations", "application/json", `[{"id":"LIS","name":"Lisbon"}]`).Name = "Stations"
	s.Template("weather://{city}/today", "text/plain", func(c *mcptest.Call) (any, error) { return "sunny", nil }).Name = "Today in a city"
	s.Prompt("plan_day", func(c *mcptest.Call) (any, error) { return "Plan a day in " + c.Text("city"), nil }, "city").Description = "A day outside"
	s.Complete(mcp.PromptRef("plan_day"), "city", func(prefix string) []string { return []string{prefix + "sbon"} })
}

// script is what a hostile server wants the page to run.
const script = `<img src=x onerror="alert(1)"><script>alert(2)</script><svg onload=alert(3)>javascript:alert(4)`

func hostile(s *mcptest.Server) {
	s.Name, s.Version, s.Instructions = script, script, script
	// Each process has a text of its own, so that a comparison shows it.
	s.Instructions += strconv.Itoa(os.Getpid())
	t := s.Tool("attack", `{"type":"object","title":"<b>","properties":{"__proto__":{"type":"string","description":"`+escaped(script)+`","default":"x"},"`+escaped(script)+`":{"type":"string","enum":["`+escaped(script)+`"],"default":"`+escaped(script)+`"}}}`, func(c *mcptest.Call) (any, error) {
		svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(5)"><script>alert(6)</script></svg>`)
		return []mcp.Content{
			mcp.TextContent(script),
			mcp.ImageContent(svg, "image/svg+xml"),
			mcp.ImageContent(svg, "text/html"),
			mcp.ImageContent(svg, `image/png" onerror="alert(7)`),
			mcp.ImageContent([]byte("GIF89a"), "image/gif;charset=x"),
			{Type: mcp.ContentImage, Data: `x" onerror="alert(8)`, MIMEType: "image/png"},
			{Type: mcp.ContentResourceLink, URI: "javascript:alert(9)", Name: script},
			{Type: mcp.ContentResourceLink, URI: "data:text/html,<script>alert(10)</script>", Name: "data"},
			{Type: mcp.ContentResourceLink, URI: "file:///etc/passwd", Name: "file"},
			{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "javascript:alert(11)", MIMEType: "text/html", Text: script}},
		}, nil
	})
	t.Title, t.Description = script, script
	t.Icons = []mcp.Icon{{Src: "javascript:alert(12)"}, {Src: "https://icons.invalid/x.svg"}}
	s.Tool(script, nil, func(c *mcptest.Call) (any, error) {
		return map[string]any{script: script, "__proto__": map[string]any{"polluted": true}}, nil
	})
	s.Tool("opens", nil, func(c *mcptest.Call) (any, error) {
		for _, url := range []string{"javascript:alert(13)", "data:text/html,<script>alert(14)</script>", "file:///etc/passwd", "vbscript:x"} {
			if res, err := c.OpenURL(script, url, "id"); err == nil && res.Action == mcp.ElicitAccept {
				return "opened " + url, nil
			}
		}
		return "refused", nil
	})
	s.Resource("javascript:alert(15)", "text/html", script).Name = script
	s.Prompt(script, func(*mcptest.Call) (any, error) { return script, nil }, script).Description = script
}

func escaped(s string) string {
	b, _ := json.Marshal(s)
	return strings.Trim(string(b), `"`)
}

// busy sends many messages.
func busy(s *mcptest.Server) {
	s.Name = "busy"
	s.Tool("flood", `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, func(c *mcptest.Call) (any, error) {
		n := int(c.Number("n"))
		for i := range n {
			c.Progress(float64(i+1), float64(n), "message "+fmt.Sprint(i+1))
		}
		return "sent", nil
	})
}

// odd has names of JavaScript's own properties and names with hidden characters, asks, and
// ends.
func odd(s *mcptest.Server) {
	s.Name = "odd\u202e"
	t := s.Tool("pay\u202epal\u200b", `{"type":"object","properties":{"constructor":{"type":"string"},"valueOf":{"type":"integer"},"__proto__":{"type":"string"},"toString":{"type":"string","format":"date"}},"required":["constructor","valueOf","__proto__"]}`,
		func(c *mcptest.Call) (any, error) { return string(c.Arguments), nil })
	t.Description = "Returns its arguments"
	s.Tool("asks", nil, func(c *mcptest.Call) (any, error) {
		res, err := c.Elicit("Your name?", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(res.Action, " ", res.Content["name"]), nil
	})
	s.Tool("model", nil, func(c *mcptest.Call) (any, error) { return c.Ask("What does a lion eat?") })
	s.Tool("breaks", nil, func(c *mcptest.Call) (any, error) { return map[string]any{"n": "x"}, nil }).OutputSchema = mcp.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	s.Tool("exits", nil, func(c *mcptest.Call) (any, error) {
		time.AfterFunc(100*time.Millisecond, func() { os.Exit(3) })
		return "soon", nil
	})
}

// large has texts and lists that stop a page which shows them whole.
func large(s *mcptest.Server) {
	s.Name = "large"
	s.Instructions = strings.Repeat("All work and no play makes Jack a dull boy. ", 10<<20/44)
	s.Tool("blocks", nil, func(c *mcptest.Call) (any, error) {
		return slices.Repeat([]mcp.Content{mcp.TextContent("block")}, 100_000), nil
	}).Description = strings.Repeat("long ", 1<<20)
	s.Tool("text", nil, func(c *mcptest.Call) (any, error) { return strings.Repeat("x", 8<<20), nil })
}
