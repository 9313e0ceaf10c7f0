package promql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
)

// OneOf matches any of the values exactly: one value is an equality, several are
// a regular expression of escaped, sorted alternatives.
func OneOf(label string, values ...string) (*labels.Matcher, error) {
	return anyOf(label, false, values)
}

// NoneOf matches what none of the values equals.
func NoneOf(label string, values ...string) (*labels.Matcher, error) {
	return anyOf(label, true, values)
}

func anyOf(label string, negate bool, values []string) (*labels.Matcher, error) {
	kind := map[[2]bool]labels.MatchType{
		{false, false}: labels.MatchEqual, {false, true}: labels.MatchRegexp,
		{true, false}: labels.MatchNotEqual, {true, true}: labels.MatchNotRegexp,
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if len(sorted) == 1 {
		return matcher(kind[[2]bool{negate, false}], label, sorted[0])
	}
	for i, v := range sorted {
		sorted[i] = regexp.QuoteMeta(v)
	}
	return matcher(kind[[2]bool{negate, true}], label, strings.Join(sorted, "|"))
}

// Matching matches values that one of the regular expressions covers in full.
func Matching(label string, patterns ...string) (*labels.Matcher, error) {
	return matcher(labels.MatchRegexp, label, strings.Join(patterns, "|"))
}

// NotMatching matches values that none of the regular expressions covers in full.
func NotMatching(label string, patterns ...string) (*labels.Matcher, error) {
	return matcher(labels.MatchNotRegexp, label, strings.Join(patterns, "|"))
}

func matcher(kind labels.MatchType, label, value string) (*labels.Matcher, error) {
	m, err := labels.NewMatcher(kind, label, value)
	if err != nil {
		return nil, fmt.Errorf("label %s: %q is not a regular expression: %w", label, value, err)
	}
	return m, nil
}
