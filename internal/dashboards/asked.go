package dashboards

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Asked are the queries of a dashboard's panels as the front end sends them while all
// variables stand at All, which drops the filters by them. Panels of folded rows are
// not asked. The error names a file that is no dashboard.
func Asked(file string) ([][]query.Query, error) {
	files, err := Files()
	if err != nil {
		return nil, err
	}
	text, ok := files[file]
	if !ok {
		return nil, fmt.Errorf("there is no dashboard %q: name its file, for example pd-overview.json", file)
	}
	var made struct {
		Panels []struct{ Targets []json.RawMessage }
	}
	if err := json.Unmarshal(text, &made); err != nil {
		return nil, fmt.Errorf("dashboard %s: %w", file, err)
	}
	var panels [][]query.Query
	for _, p := range made.Panels {
		var asked []query.Query
		for _, target := range p.Targets {
			q, err := atAll(target)
			if err != nil {
				return nil, fmt.Errorf("dashboard %s: %w", file, err)
			}
			asked = append(asked, q)
		}
		if len(asked) > 0 {
			panels = append(panels, asked)
		}
	}
	return panels, nil
}

// atAll reads a target with All chosen in every variable.
func atAll(target json.RawMessage) (query.Query, error) {
	text := strings.NewReplacer(`"$`+whatIf+`"`, `""`, `"$`+roles+`"`, `""`, `"$`, `"variable `).Replace(string(target))
	q, err := query.Parse([]byte(text))
	q.Filters = slices.DeleteFunc(q.Filters, func(f query.Filter) bool { return strings.HasPrefix(f.Values[0], "variable ") })
	return q, err
}
