package compile

import (
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// recordedStep is the shortest step of points that are read from recording rules: they
// are evaluated less often than engines are scraped.
const recordedStep = 15 * time.Second

// mostStretch is how many times longer than it needs to be a window may get, where
// nobody asked for one, so that recorded rates can be read.
const mostStretch = 5

// recordedWindow is the window that all rates of a plan take where rates are recorded
// and no window is asked for, 0 for none that fits. It is the same for what is recorded
// and what is not, so that curves stay comparable.
func recordedWindow(r Request, needed time.Duration) time.Duration {
	best := time.Duration(0)
	if r.Deployment == nil || r.Step > 0 && r.Step < recordedStep {
		return 0
	}
	for recorded := range r.Deployment.Recorded {
		window, ok := deployment.RecordedWindow(recorded.Name)
		if ok && window >= needed && window <= mostStretch*needed && (best == 0 || window < best) {
			best = window
		}
	}
	return best
}

// fromRecords replaces inputs by what recording rules hold of them, if that gives
// exactly the same answer; otherwise it returns them as they are.
func (b *builder) fromRecords(binding scope, role query.Role, inputs []input) ([]input, error) {
	if !b.answersFromRecords(binding) {
		return inputs, nil
	}
	var made []input
	for _, in := range inputs {
		exporter := in.source.Exporter
		if slices.ContainsFunc(made, func(m input) bool { return m.source.Exporter == exporter }) {
			continue
		}
		one, err := b.record(binding, exporter, role)
		if err != nil || one == nil && !b.recordedBetter(binding, exporter, role) {
			return inputs, err
		}
		if one != nil {
			made = append(made, *one)
		}
	}
	if len(made) == 0 {
		return inputs, nil
	}
	b.sayRecorded(made)
	return made, nil
}

// recordedBetter reports whether an exporter's engines are recorded as of a system that
// is preferred to the binding's: what is recorded leaves out the same engines as a query
// does, which can be all of them.
func (b *builder) recordedBetter(binding scope, exporter string, role query.Role) bool {
	if len(binding.except[exporter]) == 0 {
		return false
	}
	return slices.ContainsFunc(b.catalog.Bindings(b.signal), func(other catalog.Binding) bool {
		key := b.recordedAs(other, exporter, role, halves(b.signal.Kind)[0])
		return other.System != binding.System && b.request.Deployment.Recorded[key]
	})
}

// sayRecorded tells the reader where the numbers come from.
func (b *builder) sayRecorded(read []input) {
	for _, in := range read {
		b.explain("read from recording rule %s (%s)", in.names[0], b.title(in.source.Exporter))
	}
	b.notice(notice.FromRecords)
}

// answersFromRecords reports whether the query can be answered from series by model and
// instance: by its grouping, filters, statistic and points.
func (b *builder) answersFromRecords(binding scope) bool {
	r := b.request
	if r.Deployment == nil || len(r.Deployment.Recorded) == 0 || b.recording != "" || b.rates.adjacent || b.engineGroup() != "" {
		return false
	}
	if r.Options.KVSource != "" && r.Options.KVSource != "auto" && len(b.signal.OneSystem) > 0 {
		return false // the rules may have been made with another choice
	}
	if r.Step > 0 && r.Step < recordedStep || r.Query.Stat == query.StatSkew || r.Options.RankStrategy != RanksAuto && r.Options.RankStrategy != "" {
		return false
	}
	if binding.Shape == catalog.ShapeAvg || binding.Shape == catalog.ShapeGavg { // a mean of means is not the mean
		return false
	}
	kept := slices.Concat(deployment.RecordedLabels(), constantLabels)
	return !slices.ContainsFunc(b.needed(binding.Always), func(label string) bool { return !slices.Contains(kept, label) })
}

// record is the recorded input of an exporter, nil when a part of it is not recorded.
func (b *builder) record(binding scope, exporter string, role query.Role) (*input, error) {
	in := &input{
		source:   catalog.Source{Exporter: exporter, Type: catalog.TypeGauge, Labels: map[string][]string{"model": {"model"}}},
		always:   binding.Always,
		recorded: map[half]string{},
	}
	for _, h := range halves(b.signal.Kind) {
		key := b.recordedAs(binding.Binding, exporter, role, h)
		if !b.request.Deployment.Recorded[key] {
			return nil, nil
		}
		in.recorded[h] = key.Name
		in.names = append(in.names, key.Name)
	}
	in.names = in.names[:1]
	for _, of := range [][2]string{{"system", binding.System}, {"exporter", exporter}, {"role", string(role)}} {
		m, err := promql.OneOf(of[0], of[1])
		if err != nil {
			return nil, err
		}
		in.matchers = append(in.matchers, m)
	}
	for _, f := range b.request.Query.Filters {
		if slices.Contains(constantLabels, f.Label) {
			continue // applied where roles and systems are chosen
		}
		m, err := filterMatcher(f, f.Label)
		if err != nil {
			return nil, err
		}
		in.matchers = append(in.matchers, m)
	}
	for _, m := range binding.only { // of models
		again, err := labels.NewMatcher(m.Type, "model", m.Value)
		if err != nil {
			return nil, err
		}
		in.matchers = append(in.matchers, again)
	}
	return in, nil
}

// recordedRatio is a ratio of recorded halves; nil where they are not recorded.
func (b *builder) recordedRatio(binding scope, r catalog.Ratio, role query.Role) (promql.Expr, map[string]string, error) {
	exporter := r.Num[0].Exporter
	if !b.answersFromRecords(binding) || slices.ContainsFunc(r.Sources(), func(s catalog.Source) bool { return s.Exporter != exporter }) {
		return nil, nil, nil
	}
	in, err := b.record(binding, exporter, role)
	if err != nil || in == nil {
		return nil, nil, err
	}
	b.sayRecorded([]input{*in})
	if _, ok := deployment.RecordedWindow(in.recorded[numerator]); ok {
		b.plan.Window = b.rates.window
	}
	group, rename := b.group(*in)
	part := func(h half) promql.Expr {
		return b.aggregate(binding, promql.Sel(in.recorded[h], in.matchers...), group)
	}
	return promql.Div(part(numerator), promql.Above(part(denominator), 0)), rename, nil
}

// observed is the rate of one series of a histogram, told by its suffix.
func (b *builder) observed(in input, name, suffix string, more ...*labels.Matcher) promql.Expr {
	matchers := slices.Concat(more, in.matchers)
	if in.recorded == nil {
		return b.part(promql.Sel(name+suffix, matchers...))
	}
	b.plan.Window = b.rates.window
	return promql.Sel(in.series(name, suffix), matchers...)
}

// series is the name of one series of a histogram.
func (in input) series(name, suffix string) string {
	if in.recorded == nil {
		return name + suffix
	}
	return in.recorded[half(suffix[1:])]
}

// ofRecord is a recorded value, which is a rate already if it is one.
func (b *builder) ofRecord(in input) promql.Expr {
	if _, ok := deployment.RecordedWindow(in.names[0]); ok {
		b.plan.Window = b.rates.window
		b.explain("mean rate over a window of %s", model.Duration(b.rates.window))
	}
	return promql.Sel(in.names[0], in.matchers...)
}
