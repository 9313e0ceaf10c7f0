package simulator

import (
	"slices"
	"strings"
)

// labelSet is a set of labels, sorted by name.
type labelSet []label

type label struct{ name, value string }

// with adds labels and keeps the order.
func (l labelSet) with(pairs ...string) labelSet {
	made := slices.Clone(l)
	for i := 0; i+1 < len(pairs); i += 2 {
		made = append(made, label{pairs[i], pairs[i+1]})
	}
	slices.SortFunc(made, func(a, b label) int { return strings.Compare(a.name, b.name) })
	return made
}

var labelEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func (l labelSet) String() string {
	if len(l) == 0 {
		return ""
	}
	var b strings.Builder
	for i, pair := range l {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(pair.name)
		b.WriteString(`="`)
		b.WriteString(labelEscaper.Replace(pair.value))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// without leaves a label out.
func (l labelSet) without(name string) labelSet {
	var made labelSet
	for _, pair := range l {
		if pair.name != name {
			made = append(made, pair)
		}
	}
	return made
}
