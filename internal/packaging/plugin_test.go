package packaging

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// description is what the tests read of plugin.json.
type description struct {
	ID         string
	Type       string
	Backend    bool
	Executable string
	Info       struct {
		Logos       struct{ Small, Large string }
		Screenshots []struct{ Path string }
	}
	Includes     []struct{ Type, Name, Path string }
	Dependencies struct{ GrafanaDependency string }
}

func plugin(t *testing.T) description {
	t.Helper()
	var d description
	require.NoError(t, json.Unmarshal(read(t, "plugin.json"), &d))
	return d
}

func TestTheSourcesHoldALinkToThePluginDescription(t *testing.T) {
	to, err := os.Readlink(inRepository("src", "plugin.json"))
	require.NoError(t, err, "src/plugin.json must be a link, so that there is one description")
	require.Equal(t, "../plugin.json", to)
	require.Equal(t, pluginID, plugin(t).ID)
}

func TestThePluginNamesItsBackEnd(t *testing.T) {
	d := plugin(t)
	require.Equal(t, "datasource", d.Type)
	require.True(t, d.Backend)
	require.Equal(t, "gpx_pdmonitor", d.Executable)
}

func TestThePluginsFilesExist(t *testing.T) {
	d := plugin(t)
	require.FileExists(t, inRepository("src", d.Info.Logos.Small))
	require.FileExists(t, inRepository("src", d.Info.Logos.Large))
	for _, s := range d.Info.Screenshots {
		require.FileExists(t, inRepository("src", s.Path))
	}
	for _, text := range []string{"LICENSE", "CHANGELOG.md"} {
		require.FileExists(t, inRepository(text), "webpack copies it into dist/")
	}
}

func TestEveryDashboardIsIncludedUnderItsTitle(t *testing.T) {
	included := map[string]string{}
	for _, i := range plugin(t).Includes {
		if i.Type == "dashboard" {
			included[i.Path] = i.Name
		}
	}
	files, err := os.ReadDir(inRepository("dashboards"))
	require.NoError(t, err)
	require.Len(t, included, len(files))
	for _, f := range files {
		var board struct{ Title string }
		require.NoError(t, json.Unmarshal(read(t, "dashboards", f.Name()), &board))
		require.Equal(t, board.Title, included["dashboards/"+f.Name()], f.Name())
	}
}

func TestUnsignedBuildsShipNoManifest(t *testing.T) {
	for _, dir := range []string{".", "src"} {
		_, err := os.Stat(inRepository(dir, "MANIFEST.txt"))
		require.ErrorIs(t, err, os.ErrNotExist, "a stale one counts as a modified signature, which no setting allows")
	}
}
