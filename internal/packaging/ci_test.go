package packaging

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCIScriptCanBeRunAndRunsTheTestTarget(t *testing.T) {
	info, err := os.Stat(inRepository(".ci", "run"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o111, "the executable bit is missing")
	require.Contains(t, string(read(t, ".ci", "run")), "exec go tool mage test")
}
