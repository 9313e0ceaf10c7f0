package rules

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Targets are the service levels that the latency rules hold a model to.
type Targets struct {
	// TTFT and ITL are the limits of the time to the first token and between tokens.
	// A bucket of the engines' histograms has to end at each: 1 s and 100 ms are
	// bounds of both vLLM and SGLang.
	TTFT, ITL time.Duration
	// Objective is the share of observations that has to be within a limit, such as
	// 0.99; what is left is the error budget.
	Objective float64
}

// DefaultTargets are those that the provisioned rules have.
func DefaultTargets() Targets {
	return Targets{TTFT: time.Second, ITL: 100 * time.Millisecond, Objective: 0.99}
}

// Validate refuses targets that no rule can watch, naming field, value and remedy.
func (t Targets) Validate() error {
	for _, limit := range []struct {
		field string
		value time.Duration
	}{{"ttft", t.TTFT}, {"itl", t.ITL}} {
		if limit.value <= 0 {
			return &query.FieldError{Field: limit.field, Value: limit.value.String(), Remedy: "take a positive duration at which a bucket of the histogram ends, such as 1s"}
		}
	}
	// From here on the fast burn of 14.4 budgets is a share that can be seen.
	if !(t.Objective >= 0.95 && t.Objective < 1) {
		return &query.FieldError{Field: "objective", Value: formatted(t.Objective), Remedy: "take a share from 0.95 up to, but not, 1, such as 0.99"}
	}
	return nil
}
