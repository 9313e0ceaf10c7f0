package packaging

import (
	"encoding/json"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed are the packages that have a row in CONTRIBUTING.md.
func listed(t *testing.T) []string {
	t.Helper()
	_, tables, found := strings.Cut(string(read(t, "CONTRIBUTING.md")), "\n## Direct dependencies\n")
	require.True(t, found)
	var names []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| \\S.* \\|$").FindAllStringSubmatch(tables, -1) {
		names = append(names, row[1])
	}
	return names
}

// goModules are the modules that our own packages import or that are our tools.
func goModules(t *testing.T) map[string]bool {
	t.Helper()
	var file struct {
		Module  struct{ Path string }
		Require []struct {
			Path     string
			Indirect bool
		}
		Tool []struct{ Path string }
	}
	require.NoError(t, json.Unmarshal(run(t, "go", "mod", "edit", "-json"), &file))
	const all = `{{range .Imports}}{{println .}}{{end}}{{range .TestImports}}{{println .}}{{end}}{{range .XTestImports}}{{println .}}{{end}}`
	used := strings.Fields(string(run(t, "go", "list", "-tags", "mage", "-f", all, ".", "./...")))
	for _, tool := range file.Tool {
		used = append(used, tool.Path)
	}
	modules := map[string]bool{}
	for _, path := range used {
		longest := ""
		for _, m := range file.Require {
			if (path == m.Path || strings.HasPrefix(path, m.Path+"/")) && len(m.Path) > len(longest) {
				longest = m.Path
			}
		}
		if longest != "" {
			modules[longest] = true
		}
	}
	for _, m := range file.Require {
		if !m.Indirect {
			modules[m.Path] = true
		}
	}
	return modules
}

func npmPackages(t *testing.T) map[string]bool {
	t.Helper()
	var file struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	require.NoError(t, json.Unmarshal(read(t, "package.json"), &file))
	names := map[string]bool{}
	for name := range file.Dependencies {
		names[name] = true
	}
	for name := range file.DevDependencies {
		names[name] = true
	}
	return names
}

func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err, strings.Join(cmd.Args, " "))
	return out
}

func TestEveryDirectDependencyHasItsReasonAndNothingElseHas(t *testing.T) {
	want := goModules(t)
	maps.Copy(want, npmPackages(t))
	have := listed(t)
	slices.Sort(have)
	require.Equal(t, slices.Sorted(maps.Keys(want)), have, "the tables of CONTRIBUTING.md and what is imported differ")
}
