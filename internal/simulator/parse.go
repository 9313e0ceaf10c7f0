package simulator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Parse reads the YAML description of a cluster. It is strict: an unknown field
// or a value of the wrong kind is an error which names the field, the value and
// what to do. Whether the values make sense together is checked by New.
func Parse(text []byte) (Cluster, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return Cluster{}, fmt.Errorf("cluster: the description is empty: give seed and groups")
	} else if err != nil {
		return Cluster{}, fmt.Errorf("cluster: not valid YAML: %w", err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Cluster{}, fmt.Errorf("cluster: more than one YAML document: keep one")
	}
	var c Cluster
	if err := decodeStrict(document.Content[0], "", reflect.ValueOf(&c).Elem()); err != nil {
		return Cluster{}, fmt.Errorf("cluster: %w", err)
	}
	return c, nil
}

// decodeStrict fills v from the node; path is the field's name for errors. The
// YAML library's own strict mode names Go types instead of fields.
func decodeStrict(node *yaml.Node, path string, v reflect.Value) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	where := func() string {
		if path == "" {
			return fmt.Sprintf("line %d", node.Line)
		}
		return fmt.Sprintf("line %d: %s", node.Line, path)
	}
	if v.Type() == reflect.TypeFor[Range]() && node.Kind == yaml.ScalarNode {
		var n int
		if err := node.Decode(&n); err != nil {
			return fmt.Errorf("%s is %q: give a whole number, or min and max", where(), node.Value)
		}
		v.Set(reflect.ValueOf(Fixed(n)))
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeStrict(node, path, v.Elem())
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			return fmt.Errorf("%s is not a list: write its elements with leading dashes", where())
		}
		v.Set(reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content)))
		for i, item := range node.Content {
			if err := decodeStrict(item, fmt.Sprintf("%s[%d]", path, i), v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		if node.Kind != yaml.MappingNode {
			return fmt.Errorf("%s is not a mapping: write it as field: value", where())
		}
		return decodeMapping(node, path, v)
	default:
		if err := node.Decode(v.Addr().Interface()); err != nil {
			return fmt.Errorf("%s is %q: give %s", where(), node.Value, kindInWords(v))
		}
		return nil
	}
}

func decodeMapping(node *yaml.Node, path string, v reflect.Value) error {
	fields := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		fields[name] = i
		names = append(names, name)
	}
	var seen []string
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := key.Value
		if path != "" {
			name = path + "." + name
		}
		index, ok := fields[key.Value]
		if !ok {
			return fmt.Errorf("line %d: unknown field %s: use one of %s", key.Line, name, strings.Join(names, ", "))
		}
		if slices.Contains(seen, key.Value) {
			return fmt.Errorf("line %d: %s is given twice: keep one", key.Line, name)
		}
		seen = append(seen, key.Value)
		if err := decodeStrict(value, name, v.Field(index)); err != nil {
			return err
		}
	}
	return nil
}

func kindInWords(v reflect.Value) string {
	switch {
	case v.Type().String() == "time.Duration":
		return "a duration such as 10ms or 2s"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanInt(), v.CanUint():
		return "a whole number"
	case v.CanFloat():
		return "a number"
	default:
		return "a text"
	}
}
