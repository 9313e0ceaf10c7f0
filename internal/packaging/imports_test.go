package packaging

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/ptd-monitor/pdmonitor/"

// imports lists what the packages of a folder import of the module, by package.
func imports(t *testing.T, folder string) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./"+folder+"/...")
	list.Dir = filepath.Join("..", "..")
	out, err := list.Output()
	require.NoError(t, err)
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		found[name] = []string{}
		for _, imported := range fields[1:] {
			if own, ok := strings.CutPrefix(imported, module); ok {
				found[name] = append(found[name], own)
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}

// allowed are the imports that CONTRIBUTING allows, by package of pkg.
func allowed(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "| package | may import |")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	names := regexp.MustCompile("`(\\w+)`")
	rules := map[string]string{}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			for _, name := range names.FindAllStringSubmatch(cells[1], -1) {
				rules[name[1]] = cells[2]
			}
		}
	}
	return rules
}

func TestImportsRunOneWay(t *testing.T) {
	rules := allowed(t)
	for name, imported := range imports(t, "pkg") {
		if name == "pkg" {
			continue // the plugin's main
		}
		rule, ok := rules[path.Base(name)]
		require.True(t, ok, "CONTRIBUTING does not say what %s may import", name)
		for _, other := range imported {
			require.True(t, strings.HasPrefix(other, "pkg/"), "%s imports %s", name, other)
			if !strings.Contains(rule, "all of them") {
				require.Contains(t, rule, "`"+path.Base(other)+"`", "%s imports %s", name, other)
			}
		}
	}
}

func TestTheSimulatorIsAnIndependentWitness(t *testing.T) {
	for name, imported := range imports(t, "internal/simulator") {
		for _, other := range imported {
			require.False(t, strings.HasPrefix(other, "pkg/"), "%s imports %s", name, other)
		}
	}
}
