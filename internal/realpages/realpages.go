// Package realpages holds exposition pages of real engines, for tests. Its README
// says where each comes from and what is odd about it.
package realpages

import (
	"embed"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed pages
var pages embed.FS

// Read is the text of a page.
func Read(t *testing.T, name string) string {
	t.Helper()
	text, err := pages.ReadFile("pages/" + name)
	require.NoError(t, err)
	return string(text)
}
