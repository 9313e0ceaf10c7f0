package plugin

import (
	"cmp"
	"math"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// mostCompared bounds the models whose ratio is put into words.
const mostCompared = 5

// compareSizes says of each model what its measured ÷ configured KV bytes mean,
// those first that are furthest off.
func (d *Datasource) compareSizes(p *prepared, results []prom.Result, errs []error) {
	signal, ok := d.catalog.Signal(p.query.Signal)
	if !ok || signal.Kind != catalog.KindRatio || !signal.PerRequestSize {
		return
	}
	type compared struct {
		model string
		off   float64
		note  kvcache.Note
	}
	var all []compared
	for i, result := range results {
		if errs[i] != nil {
			continue
		}
		for name, ratio := range newest(result.Value, p.plan.Expressions[i], p.query) {
			size, ok := d.sizeOf(name, p.query)
			if !ok {
				continue
			}
			if note, ok := size.Compare(ratio, 0); ok {
				all = append(all, compared{name, math.Abs(math.Log(max(ratio, math.SmallestNonzeroFloat64))), note})
			}
		}
	}
	slices.SortFunc(all, func(a, b compared) int { return cmp.Or(cmp.Compare(b.off, a.off), cmp.Compare(a.model, b.model)) })
	for _, c := range all[:min(len(all), mostCompared)] {
		n := notice.SizeMeasured.Of(cmp.Or(c.model, "All models"), c.note.Text)
		if c.note.Warning {
			n = n.As(notice.Warning)
		}
		p.plan.Notices = append(p.plan.Notices, n)
	}
}

// sizeOf is the size that a model's bytes were divided by.
func (d *Datasource) sizeOf(name string, q query.Query) (kvcache.Size, bool) {
	if q.BytesPerRequest > 0 {
		return kvcache.Size{Model: name, BytesPerRequest: q.BytesPerRequest}, true
	}
	return d.settings.RequestSizes.For(name)
}

// newest is the newest value of every model in an answer.
func newest(value model.Value, e compile.Expression, q query.Query) map[string]float64 {
	found := map[string]float64{}
	put := func(metric model.Metric, v float64) { found[modelOf(metric, e, q)] = v }
	switch v := value.(type) {
	case model.Vector:
		for _, one := range v {
			put(one.Metric, float64(one.Value))
		}
	case prom.Matrix:
		for _, stream := range v {
			if n := len(stream.Values); n > 0 {
				put(stream.Metric, stream.Values[n-1])
			}
		}
	}
	return found
}

// modelOf is the model of a series: its label, or the only one that the query keeps.
func modelOf(metric model.Metric, e compile.Expression, q query.Query) string {
	for label, value := range metric {
		if cmp.Or(e.Rename[string(label)], string(label)) == "model" {
			return string(value)
		}
	}
	for _, f := range q.Filters {
		if f.Label == "model" && f.Op == query.OpEqual && len(f.Values) == 1 {
			return f.Values[0]
		}
	}
	return ""
}
