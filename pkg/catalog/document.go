package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// document is a YAML text that remembers on which line everything is said.
type document struct {
	name string
	root *yaml.Node
	// unlined says that the nodes' lines are not those of a text.
	unlined bool
	// own says that the catalog is a user's, which has bounds.
	own bool
}

// place is where in a document something is said.
type place struct {
	doc  *document
	path []any // keys and indices
}

func (p place) key(name string) place { return place{p.doc, append(slices.Clip(p.path), name)} }
func (p place) item(i int) place      { return place{p.doc, append(slices.Clip(p.path), i)} }

// String is the path, such as bindings[4].ratios[0].num.
func (p place) String() string {
	var text strings.Builder
	for _, step := range p.path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&text, "[%d]", step)
		case string:
			if text.Len() > 0 {
				text.WriteByte('.')
			}
			text.WriteString(step)
		}
	}
	return text.String()
}

// line is where the place is, or what is nearest around it where nothing is said there.
func (p place) line() int {
	_, line := p.find()
	return line
}

// node is what is said at a place, or nearest around it; nil in an empty document.
func (p place) node() *yaml.Node {
	node, _ := p.find()
	return node
}

func (p place) find() (*yaml.Node, int) {
	node := p.doc.root
	if node == nil {
		return nil, 1
	}
	line := node.Line
	for _, step := range p.path {
		next, at := child(node, step)
		if next == nil {
			break
		}
		node, line = next, at
	}
	if p.doc.unlined {
		return node, 0
	}
	return node, max(line, 1)
}

// child is a member of a mapping or list, and the line that names it.
func child(node *yaml.Node, step any) (*yaml.Node, int) {
	if node == nil {
		return nil, 0
	}
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch step := step.(type) {
	case int:
		if node.Kind == yaml.SequenceNode && step < len(node.Content) {
			return node.Content[step], node.Content[step].Line
		}
	case string:
		if node.Kind != yaml.MappingNode {
			break
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1], node.Content[i].Line
			}
		}
	}
	return nil, 0
}

// lineOf finds the line in what the YAML parser says of a text that is none. Where it is
// the parser that speaks, and not its scanner, it counts lines from 0.
var (
	lineOf   = regexp.MustCompile(`^yaml: line (\d+): `)
	fromZero = regexp.MustCompile(`did not find expected (<document start>|node content|'-' indicator|key$|',' or)`)
)

// parse reads a YAML text. A text that is none is a fault.
func parse(name string, text []byte, found *faults) *document {
	doc := &document{name: name}
	fail := func(fault *Fault) *document {
		found.all, found.unread = append(found.all, fault), true
		return nil
	}
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&root)
	if errors.Is(err, io.EOF) {
		err = nil // an empty text says nothing
	}
	if err == nil {
		var more yaml.Node
		if again := decoder.Decode(&more); again == nil {
			return fail(&Fault{File: name, Line: more.Line, Problem: "begins a second document", Remedy: "write one, without a line of ---"})
		} else if !errors.Is(again, io.EOF) {
			err = again
		}
	}
	if err != nil {
		fault := &Fault{File: name, Line: 1, Problem: "is no YAML", Remedy: strings.TrimPrefix(err.Error(), "yaml: ")}
		if m := lineOf.FindStringSubmatch(err.Error()); m != nil {
			fault.Line, _ = strconv.Atoi(m[1])
			if fromZero.MatchString(err.Error()) {
				fault.Line++
			}
			fault.Remedy = strings.TrimPrefix(err.Error(), m[0])
		}
		return fail(fault)
	}
	doc.root = &root
	if root.Kind == yaml.DocumentNode {
		doc.root = root.Content[0]
	}
	return doc
}

// mostNodes bounds what aliases of aliases can make of a small text.
const mostNodes = 200_000

// into decodes the document, and is stricter than the decoder: a key that is unknown or
// written twice is a fault, and each fault knows its place.
func (doc *document) into(target any, found *faults) {
	c := conformer{faults: found, left: mostNodes}
	c.conform(doc.root, reflect.TypeOf(target).Elem(), place{doc: doc})
	if c.left <= 0 {
		found.add(place{doc: doc}, "", "grows beyond bounds", "write out what its aliases repeat")
		found.unread = true
		return
	}
	if err := doc.root.Decode(target); err != nil && !found.unread { // what was found says it better
		found.unread = true
		found.add(place{doc: doc}, "", "cannot be read", "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
}

// conformer compares a document with the type that it is to become.
type conformer struct {
	faults *faults
	left   int
}

func (c *conformer) conform(node *yaml.Node, t reflect.Type, at place) {
	if c.left--; c.left <= 0 {
		return
	}
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.ShortTag() == "!!null" {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		c.conform(node, t.Elem(), at)
	case reflect.Struct:
		if node.Kind != yaml.MappingNode {
			c.wrong(node, at, "write fields, such as {name: value}")
			return
		}
		known := fields(t)
		c.members(node, at, func(key string, value *yaml.Node, here place) {
			field, ok := known[key]
			if !ok {
				c.faults.add(here, "", "is no field", "%s", meant(key, sortedKeys(known)))
				return
			}
			c.conform(value, field, here)
		})
	case reflect.Map:
		if node.Kind != yaml.MappingNode {
			c.wrong(node, at, "write names and values, such as {model: [model_name]}")
			return
		}
		c.members(node, at, func(_ string, value *yaml.Node, here place) { c.conform(value, t.Elem(), here) })
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			c.wrong(node, at, "write a list, such as [a, b]")
			return
		}
		for i, item := range node.Content {
			c.conform(item, t.Elem(), at.item(i))
		}
	default:
		c.scalar(node, t.Kind(), at)
	}
}

// members visits the keys of a mapping, of which none may be there twice.
func (c *conformer) members(node *yaml.Node, at place, visit func(key string, value *yaml.Node, here place)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		here := at.key(key)
		if seen[key] {
			twice := *at.doc
			twice.root = node.Content[i] // the second, which a path does not lead to
			c.faults.add(place{doc: &twice}, key, "is written twice here", "keep one of the two")
			c.faults.unread = true
			continue
		}
		seen[key] = true
		visit(key, node.Content[i+1], here)
	}
}

func (c *conformer) scalar(node *yaml.Node, kind reflect.Kind, at place) {
	tag := node.ShortTag()
	switch {
	case node.Kind != yaml.ScalarNode:
		c.wrong(node, at, "write one value")
	case kind == reflect.Bool && tag != "!!bool":
		c.wrong(node, at, "write true or false")
	case kind == reflect.Float64 && tag != "!!int" && tag != "!!float":
		c.wrong(node, at, "write a number")
	case kind == reflect.String && tag == "!!binary":
		c.wrong(node, at, "write a text")
	}
}

func (c *conformer) wrong(node *yaml.Node, at place, remedy string) {
	what := map[yaml.Kind]string{yaml.MappingNode: "is a group of fields", yaml.SequenceNode: "is a list"}[node.Kind]
	if what == "" {
		what = "is a single value"
	}
	if node.Kind == yaml.ScalarNode && strings.HasPrefix(remedy, "write a number") {
		what = "is no number"
	}
	c.faults.add(at, node.Value, what, "%s", remedy)
	c.faults.unread = true
}

// fields are the types of a struct's fields by their name in YAML, those of inlined
// structs included.
func fields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			for key, inner := range fields(field.Type) {
				all[key] = inner
			}
		case name != "" && name != "-":
			all[name] = field.Type
		}
	}
	return all
}
