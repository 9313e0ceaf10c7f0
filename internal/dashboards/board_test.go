package dashboards_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

const (
	shipped  = "../../dashboards"
	pluginID = "ptd-pdmonitor-datasource"
)

// board is what the tests read of a dashboard's JSON.
type board struct {
	UID         string   `json:"uid"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Refresh     string   `json:"refresh"`
	Panels      []panel  `json:"panels"`
	Links       []struct {
		Type                  string
		Tags                  []string
		KeepTime, IncludeVars bool
	} `json:"links"`
	Time       struct{ From, To string }
	Timepicker struct {
		RefreshIntervals []string `json:"refresh_intervals"`
	} `json:"timepicker"`
	Templating struct {
		List []variable `json:"list"`
	} `json:"templating"`
}

type variable struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Query      json.RawMessage `json:"query"`
	Datasource *ref            `json:"datasource"`
	Multi      bool            `json:"multi"`
	IncludeAll bool            `json:"includeAll"`
	AllValue   string          `json:"allValue"`
	Refresh    int             `json:"refresh"`
}

type ref struct{ Type, UID string }

type panel struct {
	ID          int                      `json:"id"`
	Type        string                   `json:"type"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Datasource  *ref                     `json:"datasource"`
	GridPos     struct{ X, Y, W, H int } `json:"gridPos"`
	Targets     []json.RawMessage        `json:"targets"`
	Collapsed   bool                     `json:"collapsed"`
	Panels      []panel                  `json:"panels"`
	Links       []struct{ Title, URL string }
	FieldConfig struct {
		Defaults struct {
			Unit  string `json:"unit"`
			Links []struct{ Title, URL string }
		} `json:"defaults"`
		Overrides []override `json:"overrides"`
	} `json:"fieldConfig"`
}

type override struct {
	Matcher    struct{ ID, Options string }
	Properties []struct {
		ID    string
		Value json.RawMessage
	}
}

func load(t *testing.T) map[string]board {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shipped, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	boards := map[string]board{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var b board
		require.NoError(t, json.Unmarshal(text, &b), path)
		boards[filepath.Base(path)] = b
	}
	return boards
}

// all are the panels of a board, those of folded rows too.
func (b board) all() []panel {
	var found []panel
	for _, p := range b.Panels {
		found = append(append(found, p), p.Panels...)
	}
	return found
}

// asking are the panels of a board that ask the data source.
func (b board) asking() []panel {
	return slices.DeleteFunc(b.all(), func(p panel) bool { return p.Type == "row" || p.Type == "text" })
}

// asking are those of all boards.
func asking(t *testing.T) []panel {
	t.Helper()
	var found []panel
	for _, b := range load(t) {
		found = append(found, b.asking()...)
	}
	require.NotEmpty(t, found)
	return found
}

// target is a query of a panel, with "all" chosen in every variable.
type target struct {
	query.Query
	refID string
}

// targets are the queries of a panel as the front end sends them when all variables
// stand at All: filters by them are then dropped.
func (p panel) targets(t *testing.T) []target {
	t.Helper()
	var all []target
	for _, raw := range p.Targets {
		var own struct{ RefID string }
		require.NoError(t, json.Unmarshal(raw, &own))
		text := strings.NewReplacer(`"$bytesPerRequest"`, `""`, `"$role"`, `""`, `"$`, `"variable `).Replace(string(raw))
		q, err := query.Parse([]byte(text))
		require.NoError(t, err, "%s: %s", p.Title, raw)
		q.Filters = slices.DeleteFunc(q.Filters, func(f query.Filter) bool { return strings.HasPrefix(f.Values[0], "variable ") })
		all = append(all, target{q, own.RefID})
	}
	return all
}
