package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheEmbeddedCatalogIsConsistent(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	require.NotEmpty(t, c.Signals())
}
