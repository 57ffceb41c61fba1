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
