package servercheck

import (
	"testing"
)

func TestCallResult(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[]}`: "",
		`{"content":[{"type":"text","text":"x"},{"type":"image","data":"","mimeType":"image/png"},{"type":"resource","resource":{}},{"type":"resource_link","uri":"a:b"},{"type":"new"}]}`: "",
		`{"content":[],"structuredContent":{},"isError":true,"_meta":{},"more":null}`:                                                                                                      "",
		`{"resultType":"input_required"}`:           "",
		`{"task":{"taskId":"1"}}`:                   "",
		`{"resultType":"complete","content":3}`:     "/content: want array, got number",
		`{}`:                                        "",
		`"x"`:                                       "want object, got string",
		`{"content":"hi"}`:                          "/content: want array, got string",
		`{"content":["x"]}`:                         "/content/0: want object, got string",
		`{"content":[{"text":"x"}]}`:                `/content/0: "type" is missing`,
		`{"content":[{"type":"text"}]}`:             `/content/0: "text" is missing`,
		`{"content":[{"type":"text","text":3}]}`:    "/content/0/text: want string, got number",
		`{"content":[{"type":"audio","data":"x"}]}`: `/content/0: "mimeType" is missing`,
		`{"isError":"no"}`:                          "/isError: want boolean, got string",
	} {
		if got := CallResult(t.Context(), []byte(result)); got != want {
			t.Errorf("%s: %s, want %s", result, got, want)
		}
	}
}
