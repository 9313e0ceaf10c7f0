package rules

import (
	"fmt"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// burn is a speed at which the error budget of a month is spent. Both windows must
// show it: the long one that it matters, the short one that it still goes on.
type burn struct {
	name        string
	severity    Severity
	speed       float64
	short, long string
	spends      string
}

func burns(t Targets) []Rule {
	speeds := []burn{
		{"Fast", Critical, 14.4, "5m", "1h", "a month's error budget in two days"},
		{"Slow", Warning, 6, "30m", "6h", "a month's error budget in five days"},
	}
	var made []Rule
	for _, b := range speeds {
		made = append(made, b.rule("PDTTFTBudgetBurn", "time to the first token", "ttft", t.TTFT, t.Objective))
	}
	for _, b := range speeds {
		made = append(made, b.rule("PDITLBudgetBurn", "time between tokens", "itl", t.ITL, t.Objective))
	}
	return made
}

func (b burn) rule(name, what, signal string, limit time.Duration, objective float64) Rule {
	within := func(named, window string) Query {
		return of(named, signal, on(query.RoleDecode), over(window), func(q *query.Query) {
			q.Stat, q.Limit = query.StatUnder, limit.Seconds()
		})
	}
	// Rounded, so that the rule shows 0.856 and not the remainder of a subtraction.
	least := constant(round(1 - b.speed*(1-objective)))
	return Rule{
		Name: name + b.name, Severity: b.severity, For: time.Minute,
		Summary: fmt.Sprintf("Too many requests are over the target of %s for the %s", limit, what),
		Description: fmt.Sprintf("Over %s, only {share} of {model} on decode was within the target of %s for the %s (objective %s%%): at this speed it spends %s.",
			b.short, limit, what, formatted(round(100*objective)), b.spends),
		Cases: []Case{{
			Queries: []Query{within("short", b.short), within("long", b.long)},
			Fires:   all{below{value("short"), least}, below{value("long"), least}},
		}},
	}
}

func round(share float64) float64 { return float64(int64(share*1e6+0.5)) / 1e6 }
