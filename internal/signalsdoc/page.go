package signalsdoc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

const head = `<!-- Written by go tool mage docs from pkg/catalog. Change the catalog, not this page. -->

# Signals

A signal is what can be asked for, whatever the engine; a binding is how one system exports it. There are
%d signals and %d bindings of %d systems. Idle is an empty graph and not 0, except for rates of counters that stand still.

%s
`

const columns = `| signal | title | 判读 | meaning | level | unit | systems | role | aggregation | condition | pitfalls |
|---|---|---|---|---|---|---|---|---|---|---|
`

// Page renders the whole page.
func Page(c *catalog.Catalog) string {
	var text strings.Builder
	bindings := 0
	for _, s := range c.Systems() {
		bindings += len(s.Bindings)
	}
	groups := Groups(c)
	var contents []string
	for _, g := range groups {
		contents = append(contents, fmt.Sprintf("[%s](#%s)", g, anchor(g)))
	}
	contents = append(contents, "[Metrics by system](#metrics-by-system)", "[Left out](#left-out)")
	fmt.Fprintf(&text, head, len(c.Signals()), bindings, len(c.Systems()), strings.Join(contents, " · "))
	for _, g := range groups {
		fmt.Fprintf(&text, "\n## %s\n\n%s", g, columns)
		for _, s := range c.Signals() {
			if s.Group == g {
				row(&text, signalCells(c, s)...)
			}
		}
	}
	metrics(&text, c)
	leftOut(&text, c)
	return text.String()
}

// Write renders the page into a file.
func Write(path string) error {
	c, err := catalog.Load()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(Page(c)), 0o644)
}

// Groups lists the groups in the order of the picker.
func Groups(c *catalog.Catalog) []string {
	var groups []string
	for _, s := range c.Signals() {
		if !slices.Contains(groups, s.Group) {
			groups = append(groups, s.Group)
		}
	}
	return groups
}

func metrics(text *strings.Builder, c *catalog.Catalog) {
	text.WriteString("\n## Metrics by system\n\nNames are newest first, with the system's usual prefix.\n")
	for _, s := range c.Systems() {
		fmt.Fprintf(text, "\n### %s\n\n", s.Title)
		if s.Condition != "" {
			fmt.Fprintf(text, "Exported with: %s.\n\n", cell(s.Condition))
		}
		text.WriteString("| metrics | type | exported unit | signal |\n|---|---|---|---|\n")
		for _, b := range s.Bindings {
			row(text, code(c.NamesOf(b)), types(b), unitOf(b), "`"+b.Signal+"`")
		}
	}
}

func leftOut(text *strings.Builder, c *catalog.Catalog) {
	text.WriteString("\n## Left out\n\nWhat the field names and no signal reads, why, and where that evidence lives.\n\n| names | why, and where to look |\n|---|---|\n")
	for _, e := range c.Exceptions() {
		row(text, code(e.Names), e.Why)
	}
}

func row(text *strings.Builder, cells ...string) {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// cell keeps a text within one cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(strings.TrimSpace(text))
}

func code(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return strings.Join(all, " ")
}

// anchor is the fragment that Markdown readers give a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}
