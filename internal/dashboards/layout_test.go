package dashboards_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readable is the height of a screen and a half, in rows of Grafana's grid.
const readable = 44

func TestPanelsDoNotOverlapAndHaveTheirOwnIDs(t *testing.T) {
	for path, b := range load(t) {
		ids := map[int]string{}
		cells := map[[2]int]string{}
		for _, p := range b.all() {
			require.Empty(t, ids[p.ID], "%s: %s has the id of another panel", path, p.Title)
			ids[p.ID] = p.Title
			require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					at := [2]int{x, y}
					require.Empty(t, cells[at], "%s: %s lies on another panel", path, p.Title)
					cells[at] = p.Title
				}
			}
		}
	}
}

func TestWhatIsUnfoldedIsReadAtAGlance(t *testing.T) {
	for path, b := range load(t) {
		height, last := 0, -1
		for _, p := range b.Panels {
			if p.GridPos.Y != last { // panels side by side are equally high
				height += p.GridPos.H
				last = p.GridPos.Y
			}
			if p.Type == "row" {
				require.Equal(t, p.Collapsed, len(p.Panels) > 0, "%s: %s", path, p.Title)
			}
		}
		require.LessOrEqual(t, height, readable, path)
	}
}

func TestLinksLeadToOurDashboardsAndKeepTimeAndVariables(t *testing.T) {
	boards := load(t)
	uids := map[string]bool{}
	for _, b := range boards {
		uids[b.UID] = true
	}
	leads := map[string]bool{}
	check := func(p panel, title, link string) {
		require.NotEmpty(t, title, p.Title)
		path, variables, ok := strings.Cut(link, "?")
		require.True(t, ok, link)
		uid, ok := strings.CutPrefix(path, "/d/")
		require.True(t, ok && uids[uid], "%s: %s", p.Title, link)
		require.True(t, strings.HasPrefix(variables, "${__url_time_range}&"), link)
		leads[uid] = true
	}
	for path, b := range boards {
		require.Len(t, b.Links, 1, path)
		require.True(t, b.Links[0].KeepTime && b.Links[0].IncludeVars, path)
		require.Equal(t, "dashboards", b.Links[0].Type)
		require.Subset(t, b.Tags, b.Links[0].Tags)
		for _, p := range b.asking() {
			for _, l := range p.Links {
				check(p, l.Title, l.URL)
				require.True(t, strings.HasSuffix(l.URL, "&${__all_variables}"), l.URL)
			}
			for _, l := range p.FieldConfig.Defaults.Links {
				check(p, l.Title, l.URL)
				require.Contains(t, l.URL, "${datasource:queryparam}")
				_, err := url.Parse(strings.NewReplacer("${", "", "}", "").Replace(l.URL))
				require.NoError(t, err)
			}
		}
	}
	for _, uid := range []string{"pdmonitor-prefill", "pdmonitor-kv-transfer", "pdmonitor-decode", "pdmonitor-cache-tiers", "pdmonitor-gateway", "pdmonitor-gpu-network"} {
		require.True(t, leads[uid], "no panel leads to %s", uid)
	}
}
