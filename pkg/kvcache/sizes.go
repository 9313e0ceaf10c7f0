package kvcache

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Sizes are configured sizes in the order in which they are tried.
type Sizes []Size

// For is the first size whose model matches, so that exact names belong before
// the expressions that would catch them too. ok is false when none does.
func (s Sizes) For(model string) (size Size, ok bool) {
	for _, size := range s {
		if size.Matches(model) {
			return size, true
		}
	}
	return Size{}, false
}

// Faults are what is wrong with the entries, in their order and each with its
// field, its value and the remedy. A faulty entry stops the numbers of its own model
// and nothing else.
func (s Sizes) Faults() []error {
	var faults []error
	for _, size := range s {
		if size.Fault != nil {
			faults = append(faults, size.Fault)
		}
	}
	return faults
}

// Matches reports whether s is meant for the served model name. A faulty
// expression matches nothing; Bytes says what is wrong with it.
func (s Size) Matches(model string) bool {
	if s.Model == model {
		return model != ""
	}
	text, ok := s.Expression()
	if !ok {
		return false
	}
	re, err := regexp.Compile(text)
	return err == nil && re.MatchString(model)
}

// Expression is the regular expression between the slashes of Model; ok is false
// for an exact name. A path such as /models/llama is an exact name.
func (s Size) Expression() (text string, ok bool) {
	if len(s.Model) < 2 || !strings.HasPrefix(s.Model, "/") || !strings.HasSuffix(s.Model, "/") {
		return "", false
	}
	return s.Model[1 : len(s.Model)-1], true
}

// checkModel refuses names that could never match.
func (s Size) checkModel() error {
	if s.Model == "" {
		return errors.New("model is missing: give the served model name, or /.*/ for every model")
	}
	text, ok := s.Expression()
	if !ok {
		return nil
	}
	if text == "" {
		return fmt.Errorf("model %q holds no expression: write /.*/ for every model", s.Model)
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("model %q is not a regular expression: %w; correct it or write the exact name", s.Model, err)
	}
	return nil
}
