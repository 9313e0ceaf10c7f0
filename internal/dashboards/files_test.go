//lint:file-ignore SA1019 The classic form is what is shipped.

package dashboards_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
)

func TestTheShippedFilesAreWhatTheCodeWrites(t *testing.T) {
	files, err := dashboards.Files()
	require.NoError(t, err)
	entries, err := os.ReadDir(shipped)
	require.NoError(t, err)
	require.Len(t, entries, len(files), "a file in dashboards/ that no code writes")
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(shipped, name))
		require.NoError(t, err)
		require.True(t, string(want) == string(have), "%s is stale: run go tool mage dashboards", name)
	}
}

func TestFilesKeepToGrafanasSchema(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	files, err := dashboards.Files()
	require.NoError(t, err)
	for name, text := range files {
		require.Empty(t, faults(text), name)
		wrong := strings.ReplaceAll(string(text), `"cellHeight"`, `"cellHeigth"`)
		wrong = strings.ReplaceAll(wrong, `"fillOpacity"`, `"fillOpacitty"`)
		require.NotEmpty(t, faults([]byte(wrong)), "the schema must know the options of panels")
	}
}

// faults are what the schema finds wrong. The SDK returns an error of no faults where
// there is nothing wrong.
func faults(text []byte) string {
	var read dashboard.Dashboard
	for _, err := range []error{read.UnmarshalJSONStrict(text), read.Validate()} {
		if err != nil && err.Error() != "" {
			return err.Error()
		}
	}
	return ""
}

func TestUIDsAndTitlesAreUnique(t *testing.T) {
	uids, titles := map[string]bool{}, map[string]bool{}
	for path, b := range load(t) {
		require.NotEmpty(t, b.Title, path)
		require.NotEmpty(t, b.Description, path)
		require.True(t, strings.HasPrefix(b.UID, "pdmonitor-"), path)
		require.LessOrEqual(t, len(b.UID), 40, "Grafana refuses longer ones")
		require.False(t, uids[b.UID], "uid %s occurs twice: Grafana then loads neither", b.UID)
		require.False(t, titles[b.Title], "title %s occurs twice: Grafana then loads neither", b.Title)
		uids[b.UID], titles[b.Title] = true, true
	}
}

func TestFilesHoldNothingThatOnlyAnImportReplaces(t *testing.T) {
	for name := range load(t) {
		text, err := os.ReadFile(filepath.Join(shipped, name))
		require.NoError(t, err)
		require.NotContains(t, string(text), "${DS_", name)
		require.NotContains(t, string(text), "__inputs", name)
		require.NotContains(t, string(text), `"datasource": null`, name)
	}
}

func TestDashboardsRefreshEverySecond(t *testing.T) {
	for path, b := range load(t) {
		require.Equal(t, "1s", b.Refresh, path)
		require.Contains(t, b.Timepicker.RefreshIntervals, "1s", "%s: without it a refresh of 1s has no effect", path)
		require.Equal(t, "now-5m", b.Time.From, path)
		require.Equal(t, "now", b.Time.To, path)
	}
}
