package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
	"github.com/ptd-monitor/pdmonitor/pkg/nearest"
)

// Fault is one thing that is wrong with a catalog. Its text is one line, such as
//
//	systems/sglang.yaml:31: bindings[4].role "prefil" is no role: did you mean prefill?
type Fault struct {
	// File is the catalog's file, or "catalog" for the setting.
	File string
	// Line is 1 for the first, 0 where a catalog was not written in lines.
	Line int
	// Field is the path to what is wrong, "" for the whole file.
	Field string
	// Value is what is written there, "" where the value says nothing.
	Value string
	// Problem is what is wrong with it.
	Problem string
	// Remedy is what to do about it.
	Remedy string
}

// Error is the fault in one line.
func (f *Fault) Error() string {
	text := f.File
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
	}
	text += ":"
	if f.Field != "" {
		text += " " + excerpt.Of(f.Field)
	}
	if f.Value != "" {
		text += " " + excerpt.Quoted(f.Value)
	}
	text += " " + f.Problem + ": " + f.Remedy
	return strings.Join(strings.Fields(text), " ")
}

// faults gathers what is wrong, so that all of it is seen at once.
type faults struct {
	all []*Fault
	// unread says that a file could not be read in full: what the others lack may be there.
	unread bool
}

// add notes a fault of the value at a place.
func (f *faults) add(at place, value, problem, remedy string, args ...any) {
	f.all = append(f.all, &Fault{
		File: at.doc.name, Line: at.line(), Field: at.String(), Value: value, Problem: problem, Remedy: fmt.Sprintf(remedy, args...),
	})
}

// unknown notes a value that is none of the known ones; what says what it is not.
func (f *faults) unknown(at place, value, what string, known []string) {
	known = once(known)
	if value == "" {
		f.add(at, "", "is missing", "%s", oneOf(known))
		return
	}
	if len(f.all) > mostFaults { // comparing names takes time, and nobody reads so many faults
		f.add(at, value, "is no "+what, "name one that there is")
		return
	}
	f.add(at, value, "is no "+what, "%s", meant(value, known))
}

// joined is all that was found, by file and line; nil for nothing.
func (f *faults) joined() error {
	slices.SortStableFunc(f.all, func(a, b *Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Error(), b.Error()))
	})
	var errs []error
	for i, one := range f.all {
		// An entry of several signals is checked for each of them.
		if i == 0 || *one != *f.all[i-1] {
			errs = append(errs, one)
		}
	}
	if more := len(errs) - mostFaults; more > 0 {
		errs = append(errs[:mostFaults], fmt.Errorf("… and %d faults more", more))
	}
	return errors.Join(errs...)
}

// meant asks for the known names that are near, or offers what there is.
func meant(value string, known []string) string {
	var near []string
	if len(value) <= longestName {
		near = nearest.Names(value, known)
	}
	if len(near) == 0 {
		return oneOf(known)
	}
	return "did you mean " + strings.Join(near, ", ") + "?"
}

// once leaves out what a list names again.
func once(names []string) []string {
	var unique []string
	for _, name := range names {
		if !slices.Contains(unique, name) {
			unique = append(unique, name)
		}
	}
	return unique
}

// mostFaults is how many faults a person reads in a message.
const mostFaults = 50

// longestName is the longest text that can be a name that was mistyped.
const longestName = 100

// shortList is how many names a message can list.
const shortList = 20

func oneOf(known []string) string {
	shown := make([]string, 0, len(known))
	for _, name := range known {
		if name != "" {
			shown = append(shown, excerpt.Of(name))
		}
	}
	if len(shown) > shortList {
		return "use one of " + strings.Join(shown[:shortList], ", ") + " …"
	}
	if len(shown) == 0 {
		return "leave it out, there is none to name"
	}
	return "use one of " + strings.Join(shown, ", ")
}
