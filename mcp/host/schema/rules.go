package schema

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A target is a set of providers.
type target uint8

const (
	anthropic target = 1 << iota
	openai
	strict
	gemini
	geminiParameters
	vertex

	everyone  = anthropic | openai | strict | gemini | geminiParameters | vertex
	formatted = openai | strict | gemini | vertex
)

// providers are the names of targets.
var providers = []string{"anthropic", "openai", "openai-strict", "gemini", "gemini-parameters", "vertex"}

// A ruleID is the index of a rule in applies and in the table of rules.
type ruleID uint8

const (
	ruleName ruleID = iota
	ruleFirstLetter
	ruleDescription
	ruleRoot
	ruleRootUnion
	ruleRootValues
	ruleProperties
	ruleArguments
	ruleDraft
	ruleReference
	ruleItems
	ruleBoolean
	rulePattern
	ruleEnum
	ruleSchemaKeyword
	ruleDefinitions
	ruleSiblings
	ruleCycle
	ruleOpenAPI
	ruleStrictClosed
	ruleStrictRequired
	ruleStrictKeyword

	rules
	fine // no rule
)

// applies has the providers that have each rule.
var applies = [rules]target{
	ruleName:           everyone,
	ruleFirstLetter:    gemini | geminiParameters | vertex,
	ruleDescription:    openai | strict,
	ruleRoot:           everyone,
	ruleRootUnion:      everyone,
	ruleRootValues:     openai | strict,
	ruleProperties:     anthropic | openai | strict,
	ruleArguments:      anthropic | vertex,
	ruleDraft:          everyone,
	ruleReference:      everyone &^ geminiParameters,
	ruleItems:          openai | strict,
	ruleBoolean:        gemini | vertex,
	rulePattern:        openai | strict,
	ruleEnum:           formatted,
	ruleSchemaKeyword:  gemini | vertex,
	ruleDefinitions:    gemini | vertex,
	ruleSiblings:       gemini | vertex,
	ruleCycle:          gemini | vertex,
	ruleOpenAPI:        geminiParameters,
	ruleStrictClosed:   strict,
	ruleStrictRequired: strict,
	ruleStrictKeyword:  strict,
}

// A Rule is a reason why a provider rejects a request with a definition.
type Rule struct {
	Name      string   // stays the same between versions
	Text      string   // what the provider rejects
	Mended    string   // what a Definer does about it
	Source    string   // a refusal of the provider or its documentation
	Providers []string // see [Providers]
}

// Providers returns the names of the providers that [Check] knows: anthropic (Messages
// API), openai (Chat Completions and Responses), openai-strict (the same with strict:
// true), gemini (parametersJsonSchema), gemini-parameters (parameters) and vertex
// (Gemini on Vertex AI).
func Providers() []string { return slices.Clone(providers) }

// Rules returns the rules of all providers.
func Rules() []Rule {
	const documented = " (documented, refusal not seen)"
	list := [rules]Rule{
		ruleName: {"name", "a name outside of ^[a-zA-Z0-9_-]{1,64}$", "the tool is left out",
			"OpenAI Chat Completions: Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'; Anthropic documents ^[a-zA-Z0-9_-]{1,64}$", nil},
		ruleFirstLetter: {"first-letter", "a name that begins with a digit or a dash", "the tool is left out",
			"Gemini generateContent, 2025-09: Invalid function name. Must start with a letter or an underscore", nil},
		ruleDescription: {"description", "a description of more than 1,024 characters", "cut at the end of a sentence",
			"OpenAI and Azure Chat Completions, gpt-4o, o3-mini, 2025-04: Invalid 'tools[13].function.description': string too long. Expected a string with maximum length 1024", nil},
		ruleRoot: {"root", `a root without "type": "object"`, "the type is set",
			"OpenAI Chat Completions, 2025-06: schema must be a JSON Schema of 'type: \"object\"', got 'type: null'; Vertex AI, 2026-06: parameters schema should be of type OBJECT; Anthropic: input_schema.type: Input should be 'object'", nil},
		ruleRootUnion: {"root-union", "$ref, allOf, anyOf or oneOf at the root", "variants become one object, and the description says what each requires",
			"Anthropic Messages, 2025-08 to 2026-09: input_schema does not support oneOf, allOf, or anyOf at the top level; OpenAI, 2025-06: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level; Gemini" + documented, nil},
		ruleRootValues: {"root-values", "enum or not at the root", "moved to the description",
			"OpenAI, 2025-06: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level; Anthropic names oneOf, allOf and anyOf alone", nil},
		ruleProperties: {"properties", "a root without properties", "an empty object is added",
			"OpenAI Chat Completions, 2024: object schema missing properties; Anthropic" + documented, nil},
		ruleArguments: {"argument-names", "names of arguments outside of ^[a-zA-Z0-9_.-]{1,64}$ (Vertex AI: ^[A-Za-z_][A-Za-z0-9_]{0,63}$), at the root only", "renamed; Tool.Do and Arguments restore the names",
			"Anthropic Messages and Bedrock, 2026-04: input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'; Vertex AI" + documented, nil},
		ruleDraft: {"draft", "keywords with values that JSON Schema 2020-12 does not allow: earlier drafts, unknown types, numbers as texts, required: true", "written as in 2020-12, or moved to the description",
			"Anthropic Messages, 2026-08: JSON schema is invalid. It must match JSON Schema draft 2020-12; OpenAI, 2025-06: [] is not of type 'object', 'boolean'; Gemini" + documented, nil},
		ruleReference: {"reference", "a $ref to what is not in the schema", "moved to the description",
			"Gemini generateContent, 2025-11: reference to undefined schema; OpenAI and Anthropic" + documented, nil},
		ruleItems: {"items", "an array without items, or with true or false as items", "items: {} is added; {} or {\"not\": {}}",
			"OpenAI Chat Completions, gpt-4o, 2025-04: In context=('properties', 'texts'), array schema missing items", nil},
		ruleBoolean: {"boolean", "true or false in place of a schema, but for additionalProperties", "{} or {\"not\": {}}",
			"Cloud Code Assist, 2026-05 and 2026-07: true among properties of parametersJsonSchema; Gemini and Vertex AI: refusal not seen", nil},
		rulePattern: {"pattern", "a pattern with lookaround, or that Python's re or RE2 does not accept", "moved to the description",
			"OpenAI Responses, gpt-5.5, 2026-06: regex lookaround is not supported; 2026-09: '^(?!__.*__$)[^\\p{Cc}]{1,200}$' is not a 'regex'; DeepSeek, 2026-05, for [ in a class: is not a \"regex\"", nil},
		ruleEnum: {"enum", "an enum that is empty or has a value twice", "removed, or without the second", "JSON Schema draft-04 to 2020-12" + documented, nil},
		ruleSchemaKeyword: {"schema-keyword", "$schema", "removed",
			"Gemini lists the keywords of parametersJsonSchema without it" + documented, nil},
		ruleDefinitions: {"definitions", "a $ref to another place than $defs of the root; an $id below the root", "the target is copied to $defs; the $id is removed",
			"Gemini documents $ref for $defs" + documented, nil},
		ruleSiblings: {"siblings", "other keywords beside $ref", "the reference moves into anyOf",
			"Gemini generateContent, 2026-02: $ref was set alongside unsupported fields. If a schema node has $ref set, then only description and default can be set alongside it", nil},
		ruleCycle: {"cycle", "a cycle of references whose properties are all required", "the last one is not required, and the description says so",
			"Gemini and Vertex AI, GenerationConfig.responseJsonSchema: Cyclic references are unrolled to a limited degree and, as such, may only be used within non-required properties" + documented, nil},
		ruleOpenAPI: {"openapi", "what OpenAPI 3.0 does not have: references, several types, other keywords, numbers and \"\" in enum, members beside anyOf", "rewritten; what has no form in OpenAPI is lost",
			"Gemini generateContent, 2025-04: Unknown name \"$ref\" at 'tools.function_declarations[0].parameters'; enum: only allowed for STRING type; items: missing field; Vertex AI, 2026-07: schema specified other fields alongside any_of", nil},
		ruleStrictClosed: {"strict-closed", "an object without additionalProperties: false", "nothing: no Definer writes strict definitions",
			"OpenAI: 'additionalProperties' is required to be supplied and to be false", nil},
		ruleStrictRequired: {"strict-required", "a property that is not required", "nothing: no Definer writes strict definitions",
			"OpenAI, 2025-05: 'required' is required to be supplied and to be an array including every key in properties", nil},
		ruleStrictKeyword: {"strict-keyword", "allOf, oneOf, not, if, then, else, dependentRequired, dependentSchemas", "nothing: no Definer writes strict definitions",
			"OpenAI, structured outputs: keywords that are not supported" + documented, nil},
	}
	for i := range list {
		for bit, name := range providers {
			if applies[i]&(1<<bit) != 0 {
				list[i].Providers = append(list[i].Providers, name)
			}
		}
	}
	return list[:]
}

// A Finding is something in a tool that a provider rejects.
type Finding struct {
	Rule Rule
	Path string // in the input schema, as a JSON Pointer; empty for the root, the name and the description
	Lost string // what the schema for the provider does not say; a description says it instead. Empty if the meaning is the same
}

// Check returns what a provider would reject in the name, description and input schema
// of a tool if they were sent as they are. The error is for an unknown provider, and for
// a schema that is not JSON, or is too complex.
func Check(provider string, t Tool) ([]Finding, error) {
	bit := slices.Index(providers, provider)
	switch {
	case t == nil:
		return nil, errors.New("schema: the tool is nil")
	case bit < 0:
		return nil, errors.New("unknown provider " + wire.Quote(provider) + "; there are " + strings.Join(providers, ", "))
	}
	w := &walker{target: 1 << bit, check: true}
	for _, r := range [...]ruleID{ruleName, ruleFirstLetter} {
		if !nameFits(r, t.Name()) {
			w.breaks(r)
		}
	}
	if utf8.RuneCountInString(t.Description()) > maxDescription {
		w.breaks(ruleDescription)
	}
	raw := t.InputSchema()
	root, free, err := parse(raw)
	defer free()
	if err == nil {
		w.budget = minBudget + budgetPerByte*len(raw)
		if w.target == geminiParameters {
			checkOpenAPI(w, root)
		}
		_, err = w.mend(root)
	}
	if err != nil {
		err = &toolError{t.Name(), err}
	}
	table := Rules()
	list := make([]Finding, len(w.findings))
	for i, f := range w.findings {
		list[i] = Finding{table[f.rule], f.path, strings.Join(f.lost, "\n")}
	}
	return list, err
}

// nameFits reports whether a name of a tool satisfies a rule.
func nameFits(r ruleID, name string) bool {
	if r == ruleFirstLetter {
		return name == "" || strings.IndexByte(argnames.Digits+"-", name[0]) < 0
	}
	return argnames.Fits(name) && strings.IndexByte(name, '.') < 0
}
