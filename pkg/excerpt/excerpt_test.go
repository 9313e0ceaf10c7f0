package excerpt

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAValueIsNamedByItsKind(t *testing.T) {
	for said, value := range map[string]any{
		"null":            nil,
		"true":            true,
		"the number 1e3":  json.Number("1e3"),
		`the text "a\"b"`: `a"b`,
		"a list":          []any{nil},
		"an object":       map[string]any{},
	} {
		require.Equal(t, said, Value(value))
	}
}

func TestLongTextsAreCutBetweenRunes(t *testing.T) {
	require.Equal(t, strings.Repeat("模", 80), Of(strings.Repeat("模", 80)))
	require.Equal(t, strings.Repeat("模", 80)+"…", Of(strings.Repeat("模", 81)))
	require.Equal(t, `the text "`+strings.Repeat("x", 80)+`…"`, Value(strings.Repeat("x", 500)))
}
