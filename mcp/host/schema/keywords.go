package schema

// A trait is what the package knows about a keyword: the form of its value in the lowest
// bits, and flags.
type trait uint16

const (
	unknown trait = iota // any value
	text
	number
	count // an integer that is not negative
	flag
	schemaValue
	schemaList
	schemaMembers
	typeValue
	itemsValue
	enumValue
	names
	namesByName
	bound
	patternValue
	anchor
	idValue
	reference
	examples

	form trait = 31
)

// Flags beside the form.
const (
	simple     trait = 32 << iota // independent of other keywords
	annotation                    // does not restrict values
	kept                          // copied to OpenAPI
	openAPI                       // known in OpenAPI, where its value differs
	rewritten                     // has another form in OpenAPI
	notStrict                     // unknown in strict schemas
	ofString                      // restricts strings alone
	ofNumber
	ofArray
	ofObject
)

// ofTypes has the flags of keywords for values of some types; others are for all.
const ofTypes = ofString | ofNumber | ofArray | ofObject

func traitsOf(key string) trait {
	switch key {
	case "title", "description":
		return text | simple | annotation | kept
	case "default":
		return unknown | simple | annotation | kept
	case "$comment":
		return text | annotation
	case "$schema", "$id":
		return idValue | annotation
	case "examples":
		return examples | annotation
	case "readOnly", "writeOnly", "deprecated":
		return flag | annotation
	case "type":
		return typeValue | simple | openAPI
	case "enum":
		return enumValue | simple | openAPI
	case "const":
		return unknown | simple | rewritten
	case "format":
		return text | simple | openAPI
	case "contentEncoding", "contentMediaType":
		return text
	case "pattern":
		return patternValue | simple | kept | ofString
	case "minLength", "maxLength":
		return count | simple | kept | ofString
	case "minimum", "maximum":
		return number | simple | kept | ofNumber
	case "exclusiveMinimum", "exclusiveMaximum":
		return bound | simple | ofNumber
	case "multipleOf":
		return number | simple | ofNumber
	case "minItems", "maxItems":
		return count | kept | ofArray
	case "minContains", "maxContains":
		return count | ofArray
	case "uniqueItems":
		return flag | ofArray
	case "minProperties", "maxProperties":
		return count | kept | ofObject
	case "items":
		return itemsValue | openAPI | ofArray
	case "prefixItems":
		return schemaList | rewritten | ofArray
	case "contains", "unevaluatedItems":
		return schemaValue | ofArray
	case "properties":
		return schemaMembers | openAPI | ofObject
	case "patternProperties":
		return schemaMembers | ofObject
	case "additionalProperties", "unevaluatedProperties", "propertyNames":
		return schemaValue | ofObject
	case "required":
		return names | openAPI | ofObject
	case "dependentRequired":
		return namesByName | notStrict | ofObject
	case "dependentSchemas":
		return schemaMembers | notStrict | ofObject
	case "not", "if", "then", "else":
		return schemaValue | notStrict
	case "contentSchema":
		return schemaValue
	case "anyOf":
		return schemaList | openAPI
	case "allOf", "oneOf":
		return schemaList | notStrict | rewritten
	case "$defs", "definitions":
		return schemaMembers | annotation
	case "$anchor", "$dynamicAnchor", "$vocabulary": // the last is for schemas of schemas
		return anchor | annotation
	case "$ref", "$dynamicRef":
		return reference | rewritten
	case "nullable":
		return unknown | openAPI
	}
	return unknown | annotation
}
