package packaging

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// instructions are a Dockerfile's lines as fields, comments left out.
func instructions(t *testing.T, file string) [][]string {
	t.Helper()
	var found [][]string
	for line := range strings.Lines(string(read(t, file))) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			found = append(found, fields)
		}
	}
	return found
}

func TestTheSimulatorsStagesArePinned(t *testing.T) {
	for _, i := range instructions(t, "Dockerfile.simulator") {
		if i[0] == "FROM" {
			require.Regexp(t, pinned, i[1])
		}
	}
}

func TestTheSimulatorIsBuiltWithTheGoOfTheModule(t *testing.T) {
	first := instructions(t, "Dockerfile.simulator")[0]
	_, version, _ := strings.Cut(first[1], "golang:")
	require.Contains(t, string(read(t, "go.mod")), "\ngo "+version+"\n")
}

func TestTheSimulatorsSourcesExistAndReachTheBuild(t *testing.T) {
	context := strings.Fields(string(read(t, "Dockerfile.simulator.dockerignore")))
	for _, i := range instructions(t, "Dockerfile.simulator") {
		if i[0] != "COPY" || strings.HasPrefix(i[1], "--from=") {
			continue
		}
		for _, source := range i[1 : len(i)-1] {
			if source == "cmd" || source == "internal" || source == "pkg" {
				require.DirExists(t, inRepository(source))
			} else {
				require.FileExists(t, inRepository(source))
			}
			require.Contains(t, context, "!"+source, "the context leaves it out")
		}
	}
}

func TestTheSimulatorListensWherePrometheusAndTheHealthCheckLook(t *testing.T) {
	last := instructions(t, "Dockerfile.simulator")
	command := strings.Join(last[len(last)-1], " ")
	require.Equal(t, `CMD ["simulate", "--listen", "0.0.0.0:9100"]`, command)
	simulator := compose(t).Services["simulator"]
	require.True(t, slices.ContainsFunc(simulator.Healthcheck.Test, func(word string) bool {
		return strings.HasPrefix(word, "http://127.0.0.1:9100/")
	}))
}
