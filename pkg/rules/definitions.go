package rules

import (
	"strconv"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Group is rules that belong together and are evaluated together.
type Group struct {
	Name  string
	Rules []Rule
}

// All lists the rules that ship, by group.
func All(t Targets) []Group {
	return []Group{
		{"pdmonitor-stages", []Rule{stageImbalance(), preallocBackPressure(), prefillQueue(), decodeQueue(), transferQueue()}},
		{"pdmonitor-kv-cache", []Rule{thrash(), retractions(), requestSizeDrift()}},
		{"pdmonitor-hand-over", []Rule{leaseExpiry(), transferFailures(), bootstrapFailures()}},
		{"pdmonitor-router", []Rule{routerDrift()}},
		{"pdmonitor-latency", burns(t)},
		{"pdmonitor-devices", []Rule{throttling(), xidErrors(), retransmits()}},
		{"pdmonitor-metrics", []Rule{missing(query.RolePrefill), missing(query.RoleDecode)}},
	}
}

func formatted(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
