package packaging

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

const (
	root     = "../.."
	pluginID = "ptd-pdmonitor-datasource"
)

// inRepository is the path of a file of the repository.
func inRepository(parts ...string) string {
	return filepath.Join(append([]string{root}, parts...)...)
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(inRepository(path...))
	require.NoError(t, err)
	return text
}

// strictYAML refuses keys that the target type does not know.
func strictYAML(t *testing.T, text []byte, target any) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(target))
}
