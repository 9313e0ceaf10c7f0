package compile

import (
	"cmp"
	"fmt"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// half is the part of a signal that a recording rule holds: what can be added up over
// instances later, before a quantile is taken or a ratio built.
type half string

const (
	// wholeValue is all of a rate, gauge or total.
	wholeValue  half = "value"
	buckets     half = "bucket"
	sums        half = "sum"
	counts      half = "count"
	numerator   half = "numerator"
	denominator half = "denominator"
)

// halves are the parts of a signal of a kind.
func halves(kind catalog.Kind) []half {
	switch kind {
	case catalog.KindDistribution:
		return []half{buckets, sums, counts}
	case catalog.KindRatio:
		return []half{numerator, denominator}
	}
	return []half{wholeValue}
}

// Recording is a series to be recorded.
type Recording struct {
	Recorded deployment.Recorded
	Tree     promql.Expr
	// Rename maps the labels of the answer to logical ones.
	Rename map[string]string
}

// Record plans the series from which every query of a signal by model or instance can
// be answered later, rates over the window. Deployments with an engine group are
// refused: there an instance is no engine.
func (c *Compiler) Record(r Request, signal string, window time.Duration) ([]Recording, error) {
	known, ok := c.catalog.Signal(signal)
	if !ok {
		return nil, &query.FieldError{Field: "signal", Value: signal, Remedy: "GET /catalog or `pdmonitor catalog` lists the signals"}
	}
	r.Step = 0
	r.Query = query.Query{
		Signal: signal, GroupBy: append(deployment.RecordedLabels(), "exporter"),
		RateMode: query.RateWindow, Window: model.Duration(window).String(),
	}.WithDefaults()
	var made []Recording
	for _, h := range halves(known.Kind) {
		b := &builder{catalog: c.catalog, request: r, signal: known, recording: h}
		if b.engineGroup() != "" {
			return nil, &query.FieldError{Field: "labels.engineGroup", Value: b.engineGroup(), Remedy: "recording rules keep one series for each instance, so engines over several nodes cannot be recorded"}
		}
		if err := b.build(); err != nil {
			return nil, fmt.Errorf("signal %s: %w", signal, err)
		}
		for _, e := range b.plan.Expressions {
			made = append(made, Recording{Recorded: e.recorded, Tree: e.Tree, Rename: e.Rename})
		}
	}
	return made, nil
}

// recordedAs identifies what is recorded of a binding for a role.
func (b *builder) recordedAs(binding catalog.Binding, exporter string, role query.Role, h half) deployment.Recorded {
	part := string(h)
	if h == wholeValue {
		part = ""
	}
	signal := b.signal.ID
	if b.signal.PerRequestSize {
		signal = cmp.Or(b.signal.Reads, signal) // a size may change, what it divides stays
	}
	return deployment.Recorded{
		Name:   deployment.RecordedName(signal, part, binding.Unit, b.operation(binding, exporter, h)),
		System: binding.System, Exporter: exporter, Role: role,
	}
}

// operation says in the name of a recorded series how it was made.
func (b *builder) operation(binding catalog.Binding, exporter string, h half) string {
	if b.signal.Kind == catalog.KindDistribution {
		return deployment.RecordedRate(b.rates.window)
	}
	sources := binding.Sources
	for _, r := range binding.Ratios {
		if h == denominator {
			sources = append(sources, r.Den...)
		} else {
			sources = append(sources, r.Num...)
		}
	}
	for _, s := range sources {
		if s.Type == catalog.TypeCounter && b.signal.Kind != catalog.KindTotal {
			return deployment.RecordedRate(b.rates.window)
		}
	}
	if binding.Shape == catalog.ShapeMax || binding.Shape == catalog.ShapeMin {
		return string(binding.Shape)
	}
	return "sum"
}
