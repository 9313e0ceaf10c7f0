package grafana

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// homeIn makes a directory in the shape of Grafana's.
func homeIn(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "public"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "grafana"), []byte("#!/bin/sh\n"), 0o755))
	return dir
}

func TestTheNamedHomeComesBeforeAnInstalledOne(t *testing.T) {
	named, installed := homeIn(t), homeIn(t)
	t.Setenv("PATH", filepath.Join(installed, "bin"))
	t.Setenv(HomeVariable, named)
	home, err := Find()
	require.NoError(t, err)
	require.Equal(t, named, home)

	t.Setenv(HomeVariable, "")
	home, err = Find()
	require.NoError(t, err)
	require.Equal(t, installed, home)
}

func TestANamedHomeThatIsNoneIsAnError(t *testing.T) {
	t.Setenv(HomeVariable, t.TempDir())
	_, err := Find()
	require.ErrorContains(t, err, HomeVariable)
	require.ErrorContains(t, err, "no bin/grafana in it")
}
