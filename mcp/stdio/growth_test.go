package stdio

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

func TestGrowth(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "lines", Base: "{}\n", Flat: true, Limits: []string{"too much output without a message"},
		Dimensions: []growth.Dimension{
			growth.Beside("messages", "", "{}\n", ""),
			growth.Beside("length of a message", "{", "x", "}\n"),
			growth.Beside("other lines", "", "x\n", ""),
			growth.Beside("length of another line", "", "x", "\n"),
			growth.Beside("empty lines", "", "\n", ""),
			growth.Beside("blanks", "", " ", "{}\n"),
			growth.Beside("carriage returns", "{}", "\r", "\n"),
		},
		Prepare: func(input string) func() error {
			return func() error { _, err := readAll(strings.NewReader(input), 0, nil); return err }
		}})
}
