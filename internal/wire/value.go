package wire

import (
	"encoding"
	"errors"
	"runtime"
	"strconv"
	"strings"
)

// marshaler is json.Marshaler, which json.RawMessage implements too.
type marshaler interface{ MarshalJSON() ([]byte, error) }

// jsonNumber is json.Number, a string that holds a number. Its methods identify
// it, because naming the type would link encoding/json.
type jsonNumber interface {
	String() string
	Float64() (float64, error)
	Int64() (int64, error)
}

// AppendValue appends a Go value that has a natural form in JSON: nil, booleans,
// numbers, strings, []byte in base64, values with a MarshalJSON or MarshalText
// method, and the slices and the maps with string keys that appendValue lists.
// It writes maps in the order of their keys, and nil slices and maps as empty.
//
// Other values are errors, because package reflect would add 60 KB to a program;
// so is a value that contains itself. On error AppendValue returns dst unchanged.
// The panic of a method passes to the caller, except that of a nil pointer,
// which is an error.
func AppendValue(dst []byte, v any) ([]byte, error) {
	out, err := appendValue(dst, v, 0)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// appendValue appends v, which is inside depth containers.
func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	var n int // of elements
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return AppendString(dst, v), nil
	case bool:
		return AppendBool(dst, v), nil
	case float64:
		return AppendFloat(dst, v)
	case float32:
		return appendFloat(dst, float64(v), 32)
	case []byte:
		return AppendBase64(dst, v), nil
	case map[string]any:
		return appendMap(dst, v, depth)
	case map[string]string, map[string]bool, map[string]int, map[string]float64, map[string]rawMessage, map[string]map[string]any, map[string][]string:
		return appendMap(dst, anyMap(v), depth)
	case []any:
		n = len(v)
	case []string:
		n = len(v)
	case []int:
		n = len(v)
	case []float64:
		n = len(v)
	case []bool:
		n = len(v)
	case []map[string]any:
		n = len(v)
	case []int64:
		n = len(v)
	case []float32:
		n = len(v)
	case []rawMessage:
		n = len(v)
	case []map[string]string:
		n = len(v)
	case [][]string:
		n = len(v)
	case [][]float64:
		n = len(v)
	default:
		if n, ok := integer(v); ok {
			return AppendInt(dst, n), nil
		}
		return appendMethod(dst, v)
	}
	return appendList(dst, n, v, depth)
}

func element(list any, i int) any {
	switch v := list.(type) {
	case []any:
		return v[i]
	case []string:
		return v[i]
	case []int:
		return v[i]
	case []float64:
		return v[i]
	case []bool:
		return v[i]
	case []map[string]any:
		return v[i]
	case []int64:
		return v[i]
	case []float32:
		return v[i]
	case []rawMessage:
		return v[i]
	case []map[string]string:
		return v[i]
	case [][]string:
		return v[i]
	case [][]float64:
		return v[i]
	}
	return nil
}

func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case int32:
		return int64(v), true
	case int16:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint8:
		return int64(v), true
	}
	return 0, false
}

func appendMethod(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case uint:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case marshaler:
		raw, err := guarded(v.MarshalJSON)
		if err != nil {
			return dst, err
		}
		return AppendRaw(dst, raw)
	case encoding.TextMarshaler:
		text, err := guarded(v.MarshalText)
		if err != nil {
			return dst, err
		}
		return AppendString(dst, string(text)), nil
	case jsonNumber:
		return appendNumber(dst, v.String())
	}
	return dst, errors.New("a value of the type " + typeOf(v) + " has no natural form in JSON; " +
		"convert it, give a json.RawMessage or json.Marshaler, or use typed.Args")
}

// typeOf returns the name of v's type that the runtime reports when an
// assertion fails. Packages reflect and fmt know it, too, but cost 60 and 160 KB.
func typeOf(v any) (name string) {
	const before, after = "interface conversion: ", " is not "
	defer func() {
		s := recover().(error).Error()
		if i := strings.Index(s, after); i > len(before) {
			s = s[len(before):i]
		}
		name = s
	}()
	_ = v.(interface{ noTypeHasThisMethod() })
	return
}

// guarded returns an error for the panic of a method that was called on a nil
// pointer, which only package reflect could detect beforehand. Other panics pass
// to the caller.
func guarded(method func() ([]byte, error)) (_ []byte, err error) {
	defer func() {
		v := recover()
		if e, ok := v.(runtime.Error); ok && (strings.Contains(e.Error(), "nil pointer") || strings.Contains(e.Error(), "using nil *")) {
			err = errNilPointer
		} else if v != nil {
			panic(v)
		}
	}()
	return method()
}

var (
	errNilPointer = errors.New("a nil pointer, on which MarshalJSON or MarshalText panics")
	errTooDeep    = errors.New("value " + nestedTooDeep)
)

// A memberError names the member of an object that cannot be encoded.
type memberError struct {
	key string
	err error
}

func (e *memberError) Error() string { return Quote(e.key) + ": " + e.err.Error() }
func (e *memberError) Unwrap() error { return e.err }

// inMember adds the key to err, unless err names a member already or concerns
// the depth.
func inMember(key string, err error) error {
	if _, ok := err.(*memberError); ok || err == errTooDeep {
		return err
	}
	return &memberError{key, err}
}

func appendNumber(dst []byte, s string) ([]byte, error) {
	if s == "" || kinds[s[0]] != Number || Valid([]byte(s)) != nil || s[len(s)-1] <= ' ' {
		return dst, errors.New("not a number: " + Quote(s))
	}
	return append(dst, s...), nil
}

// appendList appends a list of n values. It is not generic because the program
// would then contain a copy for each type.
func appendList(dst []byte, n int, list any, depth int) (_ []byte, err error) {
	if depth == MaxDepth {
		return dst, errTooDeep
	}
	dst = append(dst, '[')
	for i := range n {
		if dst, err = appendValue(AppendComma(dst), element(list, i), depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendMap(dst []byte, m map[string]any, depth int) (_ []byte, err error) {
	if depth == MaxDepth {
		return dst, errTooDeep
	}
	dst = append(dst, '{')
	var few [8]string // on the stack
	for _, k := range sortedKeys(m, few[:0]) {
		if dst, err = appendValue(AppendKey(dst, k), m[k], depth+1); err != nil {
			return dst, inMember(k, err)
		}
	}
	return append(dst, '}'), nil
}

// anyMap returns one of the maps that appendValue lists with values of type any. One
// map for all of them is 1.8 KB less of a program than one in each case.
func anyMap(m any) map[string]any {
	values := make(map[string]any)
	switch m := m.(type) {
	case map[string]string:
		copyMap(values, m)
	case map[string]bool:
		copyMap(values, m)
	case map[string]int:
		copyMap(values, m)
	case map[string]float64:
		copyMap(values, m)
	case map[string]rawMessage:
		copyMap(values, m)
	case map[string]map[string]any:
		copyMap(values, m)
	case map[string][]string:
		copyMap(values, m)
	}
	return values
}

func copyMap[T any](values map[string]any, m map[string]T) {
	for key, v := range m {
		values[key] = v
	}
}

// SortedKeys returns the keys of m in their order. A program that calls it links the
// methods of T, and of the types in T, that any interface has, such as String and
// MarshalJSON. Where they are not needed otherwise, use SortStrings.
func SortedKeys[T any](m map[string]T) []string { return sortedKeys(m, nil) }

// sortedKeys is SortedKeys with room for the keys.
func sortedKeys[T any](m map[string]T, keys []string) []string {
	if cap(keys) < len(m) {
		keys = make([]string, 0, len(m))
	}
	for k := range m {
		keys = append(keys, k)
	}
	SortStrings(keys)
	return keys
}

// SortStrings is a Shell sort. Package slices would add 14 KB to a program.
func SortStrings(s []string) {
	if len(s) < 2 { // most maps in messages
		return
	}
	gap := 1
	for gap < len(s)/3 {
		gap = 3*gap + 1
	}
	for ; gap > 0; gap /= 3 {
		for i := gap; i < len(s); i++ {
			for j := i; j >= gap && s[j] < s[j-gap]; j -= gap {
				s[j], s[j-gap] = s[j-gap], s[j]
			}
		}
	}
}
