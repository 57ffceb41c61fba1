package wire

import (
	"encoding"
	"errors"
	"reflect"
	"slices"
	"strconv"
)

// marshaler is json.Marshaler, which json.RawMessage implements too.
type marshaler interface{ MarshalJSON() ([]byte, error) }

// jsonNumber is json.Number, which stands for a number though its kind is
// string. It is told by its methods, as naming it links encoding/json.
type jsonNumber interface {
	String() string
	Float64() (float64, error)
	Int64() (int64, error)
}

// AppendValue appends a Go value that has a natural form in JSON: nil,
// booleans, numbers, strings, slices, arrays and maps with string keys of
// these, and whatever has a MarshalJSON or MarshalText method. A byte slice
// becomes a string in base64. Maps are written in the order of their keys.
// Pointers and interfaces stand for what they hold; nil ones are null, while
// nil slices and maps are empty.
//
// Structs have no such form here; encoding/json gives them one. On error,
// which a value that contains itself is too, dst is returned as it was.
func AppendValue(dst []byte, v any) ([]byte, error) {
	out, err := appendValue(dst, v, 0)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// appendValue appends v, which depth containers and pointers are around.
func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return AppendString(dst, v), nil
	case bool:
		return AppendBool(dst, v), nil
	case int:
		return AppendInt(dst, int64(v)), nil
	case float64:
		return AppendFloat(dst, v)
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && rv.IsNil() {
		return append(dst, "null"...), nil
	}
	switch v := v.(type) {
	case marshaler:
		raw, err := v.MarshalJSON()
		if err != nil {
			return dst, err
		}
		return AppendRaw(dst, raw)
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			return dst, err
		}
		return AppendString(dst, text), nil
	case jsonNumber:
		return appendNumber(dst, v.String())
	}
	return appendReflect(dst, rv, depth)
}

func appendNumber(dst []byte, s string) ([]byte, error) {
	r := NewReader([]byte(s))
	r.Number()
	if r.End() != nil {
		return dst, errors.New("not a number: " + strconv.Quote(s))
	}
	return append(dst, s...), nil
}

// appendReflect handles named and composite types.
func appendReflect(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	switch v.Kind() {
	case reflect.Bool:
		return AppendBool(dst, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return AppendInt(dst, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case reflect.Float32:
		return appendFloat(dst, v.Float(), 32)
	case reflect.Float64:
		return appendFloat(dst, v.Float(), 64)
	case reflect.String:
		return AppendString(dst, v.String()), nil
	case reflect.Slice:
		if v.Type().Elem() == reflect.TypeFor[byte]() {
			return AppendBase64(dst, v.Bytes()), nil
		}
	}
	return appendContainer(dst, v, depth)
}

func appendContainer(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth == MaxDepth {
		return dst, errors.New("value nested deeper than " + strconv.Itoa(MaxDepth))
	}
	switch v.Kind() {
	case reflect.Pointer:
		return appendValue(dst, v.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			var err error
			if dst, err = appendValue(AppendComma(dst), v.Index(i).Interface(), depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return appendMap(dst, naturalMap(v), depth)
		}
	}
	return dst, errors.New("a value of type " + v.Type().String() +
		" has no natural JSON form; give json.RawMessage or a json.Marshaler")
}

// naturalMap returns a map whose keys are strings of any type.
func naturalMap(v reflect.Value) map[string]any {
	if m, ok := v.Interface().(map[string]any); ok {
		return m
	}
	m := make(map[string]any, v.Len())
	for it := v.MapRange(); it.Next(); {
		m[it.Key().String()] = it.Value().Interface()
	}
	return m
}

func appendMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for _, k := range keys {
		var err error
		if dst, err = appendValue(AppendKey(dst, k), m[k], depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
