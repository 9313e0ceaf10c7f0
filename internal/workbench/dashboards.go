package workbench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// dashboard is a dashboard with what a list of them shows.
type dashboard struct {
	UID   string   `json:"uid"`
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	model json.RawMessage
}

// entryPoint is the dashboard that comes first; the others follow by title.
const entryPoint = "pdmonitor-overview"

func readDashboards(files map[string][]byte) ([]dashboard, error) {
	boards := make([]dashboard, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var d dashboard
		if err := json.Unmarshal(files[name], &d); err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", name, err)
		}
		if d.UID == "" {
			return nil, fmt.Errorf("dashboard %s has no uid", name)
		}
		d.model = files[name]
		boards = append(boards, d)
	}
	rank := func(d dashboard) int {
		if d.UID == entryPoint {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(boards, func(a, b dashboard) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Title, b.Title))
	})
	return boards, nil
}

func (w *Workbench) listDashboards(out http.ResponseWriter, _ *http.Request) {
	type found struct {
		dashboard
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	list := make([]found, len(w.dashboards))
	for i, d := range w.dashboards {
		list[i] = found{d, "dash-db", "/d/" + d.UID}
	}
	answer(out, http.StatusOK, list)
}

func (w *Workbench) showDashboard(out http.ResponseWriter, r *http.Request) {
	at := slices.IndexFunc(w.dashboards, func(d dashboard) bool { return d.UID == r.PathValue("uid") })
	if at < 0 {
		fail(out, http.StatusNotFound, "Dashboard not found")
		return
	}
	answer(out, http.StatusOK, map[string]any{"dashboard": w.dashboards[at].model, "meta": map[string]any{"canSave": false, "canEdit": false}})
}
