package dashboards_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// faulty are the scenarios of the panels that have something to draw in a fault alone.
var faulty = map[string]string{"XID errors": "restart-storm"}

func TestEveryPanelDrawsSomethingInTheDemo(t *testing.T) {
	for name, b := range load(t) {
		t.Run(name, func(t *testing.T) {
			for _, p := range b.asking() {
				scenario := cmp.Or(faulty[p.Title], simulator.Healthy)
				drawn := 0
				for _, q := range p.targets(t) {
					drawn += rows(play(t, scenario).ask(t, q, settled, lasts))
				}
				assert.Positive(t, drawn, "%s draws nothing", p.Title)
			}
		})
	}
}
