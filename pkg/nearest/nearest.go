// Package nearest finds the known names that a wrong one may have been meant to be.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// most is how many names a person reads in a message.
const most = 3

// scored is a known name and its distance from the wrong one.
type scored struct {
	name     string
	distance int
}

// Names lists the names nearest to a wrong one, at most three, the nearest first: those
// that begin with it, since a name is often cut short, before those in which at most half
// of the letters differ.
func Names(wrong string, known []string) []string {
	var beginning, like []scored
	for _, name := range known {
		longest := max(len(wrong), len(name))
		switch {
		case wrong != "" && strings.HasPrefix(name, wrong):
			beginning = append(beginning, scored{name, len(name) - len(wrong)})
		case longest-min(len(wrong), len(name)) > longest/2:
			// The lengths alone are too different, and a text of any length may come in.
		default:
			if d := distance(wrong, name); d <= longest/2 {
				like = append(like, scored{name, d})
			}
		}
	}
	byDistance := func(a, b scored) int { return cmp.Compare(a.distance, b.distance) }
	slices.SortStableFunc(beginning, byDistance)
	slices.SortStableFunc(like, byDistance)
	near := slices.Concat(beginning, like)
	var names []string
	for _, n := range near[:min(most, len(near))] {
		names = append(names, n.name)
	}
	return names
}

// distance is the number of single-letter edits between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
