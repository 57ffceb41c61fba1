package host_test

import (
	"errors"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/skillset"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// TestCodesOfErrors: a program compares the code with a constant.
func TestCodesOfErrors(t *testing.T) {
	h := newHost(t, nil)
	var e *host.Error
	if err := h.Connect(t.Context(), "x"); !errors.As(err, &e) || e.Code != host.CodeUnknownServer || e.Category != host.CategoryConfiguration {
		t.Errorf("%v has the code %q", err, e.Code)
	}
}

// TestErrorsWrapTheGeneralOnes: each keeps its identity.
func TestErrorsWrapTheGeneralOnes(t *testing.T) {
	if !errors.Is(skillset.ErrChanged, host.ErrChanged) || errors.Is(host.ErrChanged, skillset.ErrChanged) {
		t.Error("skillset.ErrChanged")
	}
	if !errors.Is(skills.ErrUnsupported, errors.ErrUnsupported) || errors.Is(errors.ErrUnsupported, skills.ErrUnsupported) {
		t.Error("skills.ErrUnsupported")
	}
}
