package testserver

import (
	"maps"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A query is a request for input from the client.
type query struct {
	method string
	params string
	check  func(answer *fields) // validates the response
}

// queries holds the queries by the client's capability.
var queries = map[string]query{
	"roots": {"roots/list", "", checkRoots},
	"sampling": {"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text",` +
		`"text":"What is the capital of France?"}}],"systemPrompt":"Answer in one word.",` +
		`"modelPreferences":{"hints":[{"name":"small"}],"speedPriority":1},"maxTokens":50}`, checkSample},
	"elicitation": {"elicitation/create", `{"message":"What is your name?","requestedSchema":{"type":"object",` +
		`"properties":{"name":{"type":"string","title":"Name","minLength":1},` +
		`"age":{"type":"integer","minimum":0,"maximum":150},"subscribe":{"type":"boolean","default":false},` +
		`"color":{"type":"string","enum":["red","green","blue"],"default":"green"}},"required":["name"]}}`, checkElicited},
}

// A question is a modern request that waits for input.
type question struct {
	call   *call
	kinds  []string          // of the input required, which is a key of queries
	inputs map[string][]byte // the input received before
	run    *CustomCall       // the function that waits for it, or nil
}

func (q *question) query(kind string) query {
	if q.run != nil {
		return q.run.query
	}
	return queries[kind]
}

// A survey describes the input that a call needs.
type survey struct {
	kinds     []string
	inTurn    bool // modern: the first result requires no input, each other one a kind
	stateless bool // modern: without a requestState
}

// asks returns a tool that responds with the input as text.
func asks(s survey) func(*call, *fields) {
	return func(c *call, _ *fields) {
		c.collectInputs(s, func(answers []string) { c.text(strings.Join(answers, "\n")) })
	}
}

// collectInputs collects the input of a survey and calls then with it, in the
// order of the kinds.
func (c *call) collectInputs(s survey, then func(answers []string)) {
	var missing []string
	for _, kind := range s.kinds {
		if !c.caps.has(kind) {
			missing = append(missing, kind)
		}
	}
	switch {
	case c.modern && missing != nil:
		c.error(codeMissingCapability, "The client must be capable of "+strings.Join(missing, ", "),
			`{"requiredCapabilities":{"`+strings.Join(missing, `":{},"`)+`":{}}}`)
	case missing != nil:
		c.error(codeInvalidRequest, "The client is not capable of "+strings.Join(missing, ", "), "")
	case c.modern:
		c.requireInputs(s, then)
	default:
		c.later = func() { c.requestInputs(s.kinds, then) }
	}
}

// requestInputs sends requests to a legacy client.
func (c *call) requestInputs(kinds []string, then func([]string)) {
	var answers []string
	for _, kind := range kinds {
		q := queries[kind]
		answer, ok, problem := c.request(q.method, q.params)
		if !ok {
			c.error(codeInvalidRequest, q.method+" failed: "+problem, "")
			return
		}
		f := newFields(q.method, answer)
		if q.check(f); *f.err != "" {
			c.violation("answer to " + *f.err)
		}
		answers = append(answers, string(answer))
	}
	then(answers)
}

// requireInputs responds that input is required, until there is all of it
// (2026-07-28 basic/patterns/mrtr).
func (c *call) requireInputs(s survey, then func([]string)) {
	var answers, open []string
	for _, kind := range s.kinds {
		if input, ok := c.inputs[kind]; ok {
			answers = append(answers, string(input))
		} else {
			open = append(open, kind)
		}
	}
	switch {
	case open == nil:
		then(answers)
	case s.inTurn && c.inputs == nil:
		c.require(nil, s.stateless)
	case s.inTurn:
		c.require(open[:1], s.stateless)
	default:
		c.require(open, s.stateless)
	}
}

// require responds with the input that is still required.
func (c *call) require(kinds []string, stateless bool) {
	c.requireAll(&question{call: c, kinds: kinds, inputs: c.inputs}, stateless)
}

func (c *call) requireAll(q *question, stateless bool) {
	var members []string
	if q.kinds != nil {
		members = append(members, q.inputRequests())
	}
	if stateless {
		c.s.srv.storeQuestion(c.statelessKey(), q)
	} else {
		members = append(members, `"requestState":`+quote(c.s.srv.newState(q)))
	}
	c.respond("result", c.complete("input_required", strings.Join(members, ","), ""))
}

// inputRequests returns the member of a result that requires input.
func (q *question) inputRequests() string {
	var list []string
	for _, kind := range q.kinds {
		request := quote(kind) + `:{"method":` + quote(q.query(kind).method)
		if params := q.query(kind).params; params != "" {
			request += `,"params":` + params
		}
		list = append(list, request+"}")
	}
	return `"inputRequests":{` + strings.Join(list, ",") + "}"
}

// statelessKey returns the key of a question without a requestState.
func (c *call) statelessKey() string { return c.method + string(c.params.raw["name"]) }

// newState stores a question under a state that is hard to transport unchanged.
func (s *Server) newState(q *question) (state string) {
	state = " state «" + itoa(s.count()) + "»\t\\\"<&>\u2028 "
	s.storeQuestion(state, q)
	return state
}

func (s *Server) storeQuestion(key string, q *question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[key] = q
}

// validateInput checks a request with input: it must repeat the request that
// required the input, with a new id and the same state.
func (s *Session) validateInput(c *call) *refusal {
	p := c.params
	if !c.modern || c.method == "tasks/update" || !p.has("inputResponses") && !p.has("requestState") {
		return nil
	}
	key := c.statelessKey()
	if p.has("requestState") {
		key = p.optText("requestState")
	}
	s.srv.mu.Lock()
	q := s.srv.states[key]
	delete(s.srv.states, key)
	s.srv.mu.Unlock()
	if q == nil {
		p.fail("requestState", "not as the server gave it, or used twice")
		return nil
	}
	if c.method != q.call.method || c.key == q.call.key && s == q.call.s {
		p.fail("", "the request repeated differs in its method or has the same id")
	}
	for _, key := range []string{"name", "arguments", "uri"} {
		if string(p.raw[key]) != string(q.call.params.raw[key]) {
			p.fail(key, "not as in the request repeated")
		}
	}
	c.takeInputs(q)
	c.run = q.run
	return nil
}

// takeInputs validates and stores the input.
func (c *call) takeInputs(q *question) {
	c.inputs = map[string][]byte{}
	maps.Copy(c.inputs, q.inputs)
	responses := c.params.optObject("inputResponses")
	for _, kind := range responses.keys() {
		switch {
		case slices.Contains(q.kinds, kind):
			q.query(kind).check(responses.object(kind))
			c.inputs[kind] = responses.raw[kind]
		case q.inputs[kind] == nil:
			responses.fail(kind, "not asked for")
		}
	}
}

func checkRoots(f *fields) {
	if f.need("roots"); f.has("roots") {
		for i, raw := range f.list("roots") {
			root := f.sub("roots["+itoa(i)+"]", raw)
			if !strings.HasPrefix(root.text("uri"), "file://") {
				root.fail("uri", "want file://")
			}
			root.optText("name")
		}
	}
}

func checkSample(f *fields) {
	f.oneOf("role", "user", "assistant")
	f.text("model")
	f.optText("stopReason")
	f.need("content")
	blocks := [][]byte{f.raw["content"]} // one block, or several in an array
	if kindOf(f.raw["content"]) == wire.Array {
		blocks = f.list("content")
	}
	for _, raw := range blocks {
		f.sub("content", raw).oneOf("type", "text", "image", "audio", "tool_use", "tool_result")
	}
}

// checkElicited validates a response by the schema of the query.
func checkElicited(f *fields) {
	action := f.oneOf("action", "accept", "decline", "cancel")
	if action != "accept" {
		if f.has("content") {
			f.fail("content", "only what is accepted has content")
		}
		return
	}
	content := f.object("content")
	content.text("name")
	content.optBool("subscribe")
	if content.has("age") && !isInteger(content.raw["age"]) {
		content.fail("age", "want an integer")
	}
	if content.has("color") {
		content.oneOf("color", "red", "green", "blue")
	}
	for _, key := range content.keys() {
		if !slices.Contains([]string{"name", "age", "subscribe", "color"}, key) {
			content.fail(key, "not asked for")
		}
	}
}
