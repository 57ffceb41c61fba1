package mcptest

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

// Template adds a template of resources (RFC 6570), such as "user://{id}",
// "file:///{+path}", "repo://{owner}{/path*}" or "search://all{?q,limit}". The
// values of its variables are the arguments of the [Call], as text: the parts of an
// exploded variable are joined with the separator of the URI. Variables of a query
// may be absent and in any order; so may variables whose expression adds a
// separator, such as {/path*}.
func (s *Server) Template(uriTemplate, mimeType string, f Func) *mcp.ResourceTemplate {
	s.t.Helper()
	m, err := parseTemplate(uriTemplate)
	if err != nil {
		s.t.Fatalf("mcptest: template %s: %v", uriTemplate, err)
		return nil
	}
	def := &mcp.ResourceTemplate{URITemplate: uriTemplate, Name: uriTemplate, MIMEType: mimeType}
	s.set("resources", &s.templates, &feature{name: uriTemplate, definition: def, f: f, mimeType: mimeType, template: m})
	return def
}

// A template matches the URIs that the expansion of a template has.
type template struct {
	pattern *regexp.Regexp
	groups  []group // of pattern
}

// A group is the value of a variable, or if sep is not empty, name=value pairs.
type group struct {
	names []string
	sep   string
}

// operators holds, for each operator, the patterns of the text before the values
// and between them, and of a value alone and beside others.
var operators = map[byte]struct{ first, sep, value, several string }{
	0:   {``, `,`, `[^/?#]+`, `[^/?#,]+`},
	'+': {``, `,`, `.+`, `[^,]+`},
	'#': {`#`, `,`, `.+`, `[^,]+`},
	'.': {`\.`, `\.`, `[^/?#.]+`, `[^/?#.]+`},
	'/': {`/`, `/`, `[^/?#]+`, `[^/?#]+`},
}

// queries has the patterns and separators of expressions with names.
var queries = map[byte]struct{ pattern, sep string }{
	'?': {`(?:\?([^#]*))?`, "&"},
	'&': {`((?:&[^&#]*)*)`, "&"},
	';': {`((?:;[^;/?#]*)*)`, ";"},
}

var varname = regexp.MustCompile(`^[A-Za-z0-9_.%]+$`)

func parseTemplate(text string) (*template, error) {
	t := &template{}
	pattern := "^"
	for {
		literal, rest, found := strings.Cut(text, "{")
		pattern += regexp.QuoteMeta(literal)
		if !found {
			break
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("{%s has no closing brace", rest)
		}
		p, err := t.parse(expression)
		if err != nil {
			return nil, err
		}
		pattern, text = pattern+p, after
	}
	var err error
	t.pattern, err = regexp.Compile(pattern + "$")
	return t, err
}

// parse returns the pattern of an expression and adds its groups.
func (t *template) parse(expression string) (string, error) {
	var operator byte
	list := expression
	if list != "" && strings.IndexByte("+#./;?&", list[0]) >= 0 {
		operator, list = list[0], list[1:]
	}
	form := operators[operator]
	var names, values []string
	for name := range strings.SplitSeq(list, ",") {
		name, exploded := strings.CutSuffix(name, "*")
		name, _, _ = strings.Cut(name, ":") // any length matches
		if !varname.MatchString(name) {
			return "", fmt.Errorf("invalid expression {%s}", expression)
		}
		value := form.value
		switch {
		case exploded && operator == 0:
			value = `.+` // as servers of FastMCP have it
		case exploded && form.sep != ",":
			value += `(?:` + form.sep + form.value + `)*`
		case strings.Contains(list, ","):
			value = form.several
		}
		names, values = append(names, name), append(values, "("+value+")")
	}
	if q, ok := queries[operator]; ok {
		t.groups = append(t.groups, group{names, q.sep})
		return q.pattern, nil
	}
	for _, name := range names {
		t.groups = append(t.groups, group{names: []string{name}})
	}
	pattern := form.first + strings.Join(values, form.sep)
	if form.first != "" {
		pattern = "(?:" + pattern + ")?"
	}
	return pattern, nil
}

// match returns the values of the variables, unescaped.
func (t *template) match(uri string) (map[string]string, bool) {
	found := t.pattern.FindStringSubmatch(uri)
	if found == nil {
		return nil, false
	}
	values := map[string]string{}
	for i, g := range t.groups {
		text := found[i+1]
		if g.sep == "" {
			if text != "" {
				values[g.names[0]] = unescape(text)
			}
			continue
		}
		for pair := range strings.SplitSeq(strings.Trim(text, g.sep), g.sep) {
			name, value, _ := strings.Cut(pair, "=")
			if pair == "" {
				continue
			}
			if !slices.Contains(g.names, name) {
				return nil, false
			}
			if before, ok := values[name]; ok {
				value = before + "," + value
			}
			values[name] = unescape(value)
		}
	}
	return values, true
}

func unescape(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}
