package jsonschema_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

const bomb = `(a?){1000}b`

func text(n int) string { return `"` + strings.Repeat("a", n) + `"` }

// The cost of patterns counts, wherever a schema has them.
func TestPatternsHaveBudget(t *testing.T) {
	if raceEnabled {
		t.Skip("all steps of the budget take a minute with the race detector")
	}
	object := `{"` + strings.Repeat("a", 200<<10) + `":1}`
	many := "[" + strings.Repeat(text(100)+",", 100_000) + "1]"
	for name, tt := range map[string]struct{ schema, value string }{
		"pattern":           {`{"pattern":"` + bomb + `"}`, text(200 << 10)},
		"patternProperties": {`{"patternProperties":{"` + bomb + `":{}}}`, object},
		"not":               {`{"not":{"pattern":"` + bomb + `"}}`, text(200 << 10)},
		"contains":          {`{"contains":{"pattern":"` + bomb + `"},"minContains":0}`, "[" + text(200<<10) + "]"},
		"many short texts":  {`{"items":{"anyOf":[{"pattern":"(a?){90}b"},true]}}`, many},
		"enum":              {`{"items":{"anyOf":[{"enum":[` + strings.Repeat("1,", 1000) + `2]},true]}}`, many},
	} {
		s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		err = s.Validate(context.Background(), mcp.RawMessage(tt.value))
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "too many steps") || took > testutil.Timeout {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}

// Ordinary patterns over long texts are within the budget.
func TestPatternsOverLongTexts(t *testing.T) {
	s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"pattern":"^[a-z]+$"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(context.Background(), mcp.RawMessage(text(2<<20))); err != nil {
		t.Error(err)
	}
	var e *jsonschema.Error
	if err := s.Validate(context.Background(), mcp.RawMessage(text(2 << 20)[:2<<20]+`1"`)); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestPatternsHaveLimitedSize(t *testing.T) {
	schema := `{"properties":{`
	for i := range 12 {
		schema += strings.Repeat(",", min(i, 1)) + `"` + string(rune('a'+i)) + `":{"pattern":"(abcdefghi` + string(rune('a'+i)) + `){1000}"}`
	}
	if _, err := jsonschema.Compile(context.Background(), mcp.RawMessage(schema+"}}")); err == nil || !strings.Contains(err.Error(), "more than 50000 instructions") {
		t.Error(err)
	}
}

// A call's context ends validation, too.
func TestValidationEndsWithContext(t *testing.T) {
	s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"items":{"pattern":"`+bomb+`"}}`))
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the call is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := s.Validate(ctx, mcp.RawMessage("["+text(100<<10)+"]")); !errors.Is(err, cause) {
		t.Error(err)
	}
	outputs := new(jsonschema.Outputs)
	c, err := mcp.Connect(t.Context(), serving(t, `{"pattern":"`+bomb+`"}`, `{"content":[],"structuredContent":`+text(200<<10)+`}`),
		&mcp.Options{Interceptors: []mcp.Interceptor{outputs.Intercept}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	began := time.Now()
	_, err = c.CallTool(ctx, "t", nil)
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "too many steps") || took > testutil.Timeout {
		t.Errorf("%v after %v", err, took)
	}
}
