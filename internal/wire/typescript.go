package wire

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// width is that of Prettier's lines, which the file keeps to.
const width = 120

// script collects the file. What it cannot say is an error of the declarations, of
// which the first is kept.
type script struct {
	text  strings.Builder
	types map[reflect.Type]string
	// otherwise says what fields are in TypeScript where Go's type does not tell, by
	// "Interface.field".
	otherwise map[string]string
	used      map[string]bool
	err       error
}

func (s *script) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

func (s *script) line(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

// names writes a list of texts and the type of which one is.
func (s *script) names(list, one string, names []string) {
	s.constant(list, names)
	s.line("export type %s = (typeof %s)[number];", one, list)
}

// constant writes a list of texts.
func (s *script) constant(name string, texts []string) {
	s.line("")
	s.texts("", "export const "+name+" = ", texts, " as const;")
}

// texts writes a list between what comes before and after it, on as many lines as
// Prettier does.
func (s *script) texts(indent, before string, texts []string, after string) {
	quoted := make([]string, 0, len(texts))
	for _, text := range texts {
		quoted = append(quoted, quote(text))
	}
	whole := indent + before + "[" + strings.Join(quoted, ", ") + "]" + after
	if utf8.RuneCountInString(whole) <= width {
		s.line("%s", whole)
		return
	}
	s.line("%s%s[", indent, before)
	for _, text := range quoted {
		s.line("%s  %s,", indent, text)
	}
	s.line("%s]%s", indent, after)
}

// union writes a type of texts, which takes no room in what a browser loads.
func (s *script) union(name string, list []string) {
	s.line("")
	s.line("export type %s =", name)
	for i, text := range list {
		end := ""
		if i == len(list)-1 {
			end = ";"
		}
		s.line("  | %s%s", quote(text), end)
	}
}

// object writes a constant with members, which write themselves.
func (s *script) object(name string, members func()) {
	s.line("export const %s = {", name)
	members()
	s.line("} as const;")
}

// structure writes an interface of a struct's fields as encoding/json writes them.
func (s *script) structure(t reflect.Type) {
	name := s.types[t]
	s.line("")
	s.line("/** %s */", t)
	s.line("export interface %s {", name)
	s.fields(name, t)
	s.line("}")
}

func (s *script) fields(name string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		called, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && !tagged:
			s.fields(name, f.Type)
			continue
		case !f.IsExported() || called == "-":
			continue
		case called == "":
			s.fail("%s.%s has no name in JSON", t, f.Name)
			continue
		}
		kind := f.Type
		optional := ""
		if slices.Contains(strings.Split(options, ","), "omitempty") {
			optional = "?"
			if kind.Kind() == reflect.Pointer {
				kind = kind.Elem() // nil is left out
			}
		}
		at := name + "." + called
		text, ok := s.otherwise[at]
		if ok {
			s.used[at] = true
		} else {
			text = s.typeOf(at, kind)
		}
		s.line("  %s%s: %s;", key(called), optional, text)
	}
}

// typeOf is a Go type in TypeScript.
func (s *script) typeOf(at string, t reflect.Type) string {
	if name, ok := s.types[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.String:
		if t.Name() == "string" {
			return "string"
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return s.typeOf(at, t.Elem()) + "[]"
		}
	case reflect.Map:
		return fmt.Sprintf("Record<%s, %s>", s.typeOf(at, t.Key()), s.typeOf(at, t.Elem()))
	case reflect.Pointer:
		return s.typeOf(at, t.Elem()) + " | null"
	}
	s.fail("%s is a %s, of which nothing is declared here: add it to the lists or structures of internal/wire", at, t)
	return "unknown"
}

// quote is a text as Prettier quotes it.
func quote(text string) string {
	mark := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		mark = `"`
	}
	return mark + strings.NewReplacer(`\`, `\\`, "\n", `\n`, mark, `\`+mark).Replace(text) + mark
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// key is the name of a member.
func key(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return quote(name)
}
