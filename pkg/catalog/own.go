package catalog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// What an own catalog may hold: far more than a team's engines need, and nothing that
// costs a Grafana its memory.
const (
	mostText     = 256 << 10
	mostSystems  = 50
	mostBindings = 1000
	mostSignals  = 500
	// mostNames are the names, labels and prefixes of one list; longest is the longest text.
	mostNames = 100
	longest   = 1000
)

// addition is an own catalog in one document: systems and signals in the form of the
// embedded files. A system of a name that there is already gets the bindings, prefixes,
// labels and processes added; a binding of a signal that it has stands in its place.
type addition struct {
	Signals []Signal `yaml:"signals"`
	Systems []file   `yaml:"systems"`
}

// embeddedParts are the parts of the embedded catalog, read once.
var embeddedParts = sync.OnceValues(func() (parts, error) {
	var found faults
	p, err := readParts(files, &found)
	if err == nil {
		err = found.joined()
	}
	return p, err
})

// WithText lays an own catalog, written as YAML, over the embedded one. It is checked as
// that is; the faults, joined, name it and their lines in the text.
func WithText(name, text string) (*Catalog, error) {
	if len(text) > mostText {
		return nil, tooLong(name, len(text))
	}
	var found faults
	doc := parse(name, []byte(text), &found)
	if doc == nil {
		return nil, found.joined()
	}
	return extended(doc, &found)
}

// WithObject lays an own catalog, as JSON decoded with UseNumber, over the embedded one.
// Its faults have no lines.
func WithObject(name string, object map[string]any) (*Catalog, error) {
	if text, err := json.Marshal(object); err != nil || len(text) > mostText {
		return nil, tooLong(name, len(text))
	}
	return extended(&document{name: name, root: nodeOf(object), unlined: true}, &faults{})
}

func tooLong(name string, bytes int) error {
	return &Fault{File: name, Problem: fmt.Sprintf("has %d bytes", bytes), Remedy: fmt.Sprintf("write at most %d: leave out what is built in", mostText)}
}

// nodeOf is a value of JSON as YAML has it.
func nodeOf(value any) *yaml.Node {
	switch value := value.(type) {
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range sortedKeys(value) {
			node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, nodeOf(value[key]))
		}
		return node
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range value {
			node.Content = append(node.Content, nodeOf(item))
		}
		return node
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(value)}
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: value.String()}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fmt.Sprint(value)}
}

func extended(doc *document, found *faults) (*Catalog, error) {
	doc.own = true
	built, err := embeddedParts()
	if err != nil {
		return nil, err
	}
	var mine addition
	doc.into(&mine, found)
	if !found.unread {
		bounded(doc, mine, found)
	}
	p := parts{
		groups: built.groups, labels: built.labels, exceptions: built.exceptions,
		signals: slices.Clone(built.signals), systems: slices.Clone(built.systems),
	}
	top := place{doc: doc}
	for i, s := range mine.Signals {
		p.signals = append(p.signals, placed[Signal]{top.key("signals").item(i), s})
	}
	for i, s := range mine.Systems {
		p.systems = append(p.systems, placed[file]{top.key("systems").item(i), s})
	}
	return build(p, found)
}

// bounded refuses what is more than anybody needs.
func bounded(doc *document, mine addition, found *faults) {
	top := place{doc: doc}
	over := func(at place, count, most int) {
		if count > most {
			found.add(at, "", fmt.Sprintf("has %d entries", count), "write at most %d", most)
			found.unread = true
		}
	}
	bindings := 0
	for _, s := range mine.Systems {
		for _, e := range s.Bindings {
			bindings += max(1, len(e.Signals))
		}
	}
	over(top.key("signals"), len(mine.Signals), mostSignals)
	over(top.key("systems"), len(mine.Systems), mostSystems)
	over(top.key("systems"), bindings, mostBindings)
	for i, s := range mine.Signals {
		within(reflect.ValueOf(s), top.key("signals").item(i), found)
	}
	for i, s := range mine.Systems {
		within(reflect.ValueOf(s.System), top.key("systems").item(i), found)
		for j, e := range s.Bindings {
			within(reflect.ValueOf(e), top.key("systems").item(i).key("bindings").item(j), found)
		}
	}
}

// within refuses texts and lists beyond bounds anywhere in a value.
func within(value reflect.Value, at place, found *faults) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			within(value.Elem(), at, found)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			name, option, _ := strings.Cut(value.Type().Field(i).Tag.Get("yaml"), ",")
			switch {
			case option == "inline":
				within(value.Field(i), at, found)
			case name != "-":
				within(value.Field(i), at.key(name), found)
			}
		}
	case reflect.Map:
		if value.Len() > mostNames {
			found.add(at, "", fmt.Sprintf("has %d entries", value.Len()), "write at most %d", mostNames)
			found.unread = true
		}
		for _, key := range value.MapKeys() {
			within(key, at, found)
			within(value.MapIndex(key), at.key(key.String()), found)
		}
	case reflect.Slice:
		if value.Len() > mostNames {
			found.add(at, "", fmt.Sprintf("has %d entries", value.Len()), "write at most %d", mostNames)
			found.unread = true
		}
		for i := range value.Len() {
			within(value.Index(i), at.item(i), found)
		}
	case reflect.String:
		if value.Len() > longest {
			found.add(at, "", fmt.Sprintf("has %d bytes", value.Len()), "write at most %d", longest)
		}
	}
}
