package catalog

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// grafanaUnits are the ids of Grafana's own units, one a line. A test of the front end
// holds them against the Grafana that it is built with.
//
//go:embed grafanaunits.txt
var grafanaUnits string

// ownUnits begin an id of Grafana that says itself what is shown.
var ownUnits = []string{"suffix:", "prefix:", "si:", "count:", "time:", "currency:", "bool:"}

// isGrafanaUnit reports whether Grafana shows numbers of this unit as it means.
func isGrafanaUnit(id string) bool {
	for _, own := range ownUnits {
		if rest, ok := strings.CutPrefix(id, own); ok {
			return strings.TrimSpace(rest) != ""
		}
	}
	return slices.Contains(knownUnits(), id)
}

var knownUnits = sync.OnceValue(func() []string { return strings.Fields(grafanaUnits) })
