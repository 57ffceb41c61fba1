package skills_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		s := mcptest.New(t)
		s.Skill("skill://acme/one", nil)
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		var last error
		for list, err := range skills.NewReader(s.Connect(&mcp.Options{ProtocolVersions: []string{version}}), nil).Watch(ctx) {
			if last = err; err != nil {
				break
			}
			if n++; len(list) < n {
				t.Errorf("%s: list %d has %d skills", version, n, len(list))
			}
			switch len(list) {
			case 1:
				s.Skill("skill://acme/two", nil)
			case 2:
				s.Skill("skill://acme/three", nil)
			case 3:
				stop()
			}
		}
		if stop(); n < 3 || !errors.Is(last, context.Canceled) {
			t.Errorf("%s: %d lists, %v", version, n, last)
		}
	}
}

func TestWatchOfServerThatReportsNothing(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{"true", "{}"} {
		s := newServer()
		s.settings = settings
		want := mcp.ErrNoChanges
		if settings == "true" {
			want = skills.ErrUnsupported
		}
		n := 0
		for list, err := range s.open(t, nil).Watch(t.Context()) {
			n++
			if list != nil || !errors.Is(err, want) {
				t.Errorf("%s: %v, %v", settings, list, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d", settings, n)
		}
	}
}

func TestWatchEndsWithLoop(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Skill("skill://acme/one", nil)
	for list, err := range skills.NewReader(s.Connect(nil), nil).Watch(t.Context()) {
		if len(list) != 1 || err != nil {
			t.Error(list, err)
		}
		break
	}
}

func ExampleReader_Watch() {
	var reader skills.Reader // of no server
	for list, err := range reader.Watch(context.Background()) {
		if err != nil {
			fmt.Println(errors.Is(err, skills.ErrUnsupported))
			break
		}
		fmt.Println(len(list))
	}
	// Output: true
}

// TestEntriesAreCached: skills/list and skills/get are answered from the cache of the
// client for as long as the server permits, until a file shows that they are out of date.
func TestEntriesAreCached(t *testing.T) {
	s := newServer()
	s.ttl = 60_000
	s.pages = func(cursor string) object {
		if cursor == "" {
			return object{"skills": s.entries, "nextCursor": "2"}
		}
		return object{"skills": []any{}}
	}
	r := s.open(t, nil)
	var skill *skills.Skill
	for range 2 {
		list, err := r.List(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if skill, err = r.Get(t.Context(), refunds); err != nil || len(skill.Files) != 3 {
			t.Fatal(skill, err)
		}
	}
	if sent := s.sent("skills/"); len(sent) != 3 { // of two pages and the entry
		t.Errorf("sent %q", sent)
	}
	s.mu.Lock()
	s.files["skill://acme/refunds/references/GUIDE.md"] = "Ask three times.\n"
	s.entries = []any{s.entry("refunds", refunds)}
	s.mu.Unlock()
	readFails(t, skill, "references/GUIDE.md", skills.ErrSize)
	skill, err := r.Get(t.Context(), refunds)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := skill.Read(t.Context(), "references/GUIDE.md"); err != nil || string(data) != "Ask three times.\n" {
		t.Errorf("%q, %v", data, err)
	}
	if list, err := r.List(t.Context()); err != nil || list[0].Digest() != skill.Digest() {
		t.Error(list, err)
	}
}
