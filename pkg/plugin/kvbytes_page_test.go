package plugin_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheSettingsPageIsTestedWithRealAnswers keeps the answers that src/testing gives
// the tests of the settings page equal to those of this server.
func TestTheSettingsPageIsTestedWithRealAnswers(t *testing.T) {
	text, err := os.ReadFile("testdata/settings-page.json")
	require.NoError(t, err)
	var cases []struct {
		Name    string
		Size    json.RawMessage
		Answer  json.RawMessage
		Refusal string
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	source := opened(t, "", nil)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := call(t, source, http.MethodPost, "kv-bytes", string(c.Size))
			if c.Refusal != "" {
				require.Equal(t, http.StatusBadRequest, got.status, "%s", got.body)
				require.Contains(t, got.failure(t).Message, c.Refusal)
				return
			}
			require.Equal(t, http.StatusOK, got.status, "%s", got.body)
			require.JSONEq(t, string(c.Answer), string(got.body))
		})
	}
}
