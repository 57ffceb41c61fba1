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

// AppendValue appends a Go value that has a natural form in JSON: nil,
// booleans, numbers, strings, slices, arrays and maps with string keys of
// these, and whatever has a MarshalJSON or MarshalText method. A byte slice
// becomes a string in base64. Maps are written in the order of their keys.
// Pointers and interfaces stand for what they hold.
//
// Structs have no such form here; encoding/json gives them one.
func AppendValue(dst []byte, v any) ([]byte, error) { return appendValue(dst, v, 0) }

func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return dst, errors.New("value nested deeper than " + strconv.Itoa(MaxDepth))
	}
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
	case map[string]any:
		return appendMap(dst, v, depth)
	case []any:
		dst = append(dst, '[')
		for _, e := range v {
			var err error
			if dst, err = appendValue(AppendComma(dst), e, depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
	rv := reflect.ValueOf(v)
	if isNil(rv) {
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
	}
	return appendReflect(dst, rv, depth)
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

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return v.IsNil()
	}
	return false
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
	case reflect.Pointer:
		return appendValue(dst, v.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return AppendBase64(dst, v.Bytes()), nil
		}
		dst = append(dst, '[')
		for i := range v.Len() {
			var err error
			if dst, err = appendValue(AppendComma(dst), v.Index(i).Interface(), depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			break
		}
		m := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			m[it.Key().String()] = it.Value().Interface()
		}
		return appendMap(dst, m, depth)
	}
	return dst, errors.New("a value of type " + v.Type().String() +
		" has no natural JSON form; give json.RawMessage or a json.Marshaler")
}
