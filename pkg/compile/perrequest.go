package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// sized selects the series of models whose requests have one size.
type sized struct {
	matchers []*labels.Matcher
	bytes    int64
}

// perRequest divides bytes per second by B_request, model by model. It is nil
// when no model has a size.
func (b *builder) perRequest(binding scope, inputs []input, group []string) (promql.Expr, error) {
	model := b.physical(inputs[0].source, "model")
	sizes, err := b.sizes(inputs, model)
	if err != nil || len(sizes) == 0 {
		return nil, err
	}
	inner := group
	if len(sizes) > 1 && !slices.Contains(group, model) {
		inner = append(slices.Clone(group), model)
	}
	var all promql.Expr
	for _, s := range sizes {
		restricted := slices.Clone(inputs)
		for i := range restricted {
			restricted[i].matchers = append(slices.Clone(restricted[i].matchers), s.matchers...)
		}
		rate := b.scale(binding, promql.SumBy(b.join(restricted, b.value), inner...))
		one := promql.Div(rate, promql.Number(float64(s.bytes)))
		if all == nil {
			all = one
		} else {
			all = promql.Or(all, one)
		}
	}
	if len(inner) > len(group) {
		all = promql.SumBy(all, group...)
	}
	return all, nil
}

// sizes finds B_request of every model in question.
func (b *builder) sizes(inputs []input, label string) ([]sized, error) {
	if n := b.request.Query.BytesPerRequest; n > 0 {
		b.explain("÷ B_request = %s, given with the query", humanBytes(n))
		b.notice(notice.SizeOfQuery, humanBytes(n))
		return []sized{{bytes: n}}, nil
	}
	if !b.carries(inputs[0].source, "model") {
		b.notice(notice.NoModelLabel, inputs[0].names[0])
		return nil, nil
	}
	if b.request.Deployment != nil {
		return b.sizesOfModels(inputs, label)
	}
	return b.sizesAsConfigured(label)
}

// mostNamed bounds the models that a notice names.
const mostNamed = 5

// sizesOfModels matches the configured sizes to the models that were found. Models of
// one size share a selector.
func (b *builder) sizesOfModels(inputs []input, label string) ([]sized, error) {
	var without []string
	bySize := map[int64][]string{}
	models := b.models(inputs)
	for _, model := range models {
		size, ok := b.request.Options.Sizes.For(model)
		if !ok {
			without = append(without, model)
			continue
		}
		bytes, err := size.Bytes()
		if err != nil {
			b.unusable(model, err)
			continue
		}
		if len(bySize) < mostNamed {
			b.explain("÷ B_request of %s = %s: %s", model, humanBytes(bytes.PerRequest), bytes.Derivation)
			for _, note := range bytes.Notes {
				b.explain("B_request of %s: %s", model, note)
			}
			b.notice(notice.SizeOfModel, model, humanBytes(bytes.PerRequest), bytes.Derivation)
		}
		bySize[bytes.PerRequest] = append(bySize[bytes.PerRequest], model)
	}
	var found []sized
	for _, bytes := range slices.Sorted(maps.Keys(bySize)) {
		m, err := promql.OneOf(label, bySize[bytes]...)
		if err != nil {
			return nil, err
		}
		found = append(found, sized{matchers: []*labels.Matcher{m}, bytes: bytes})
	}
	if len(without) > 0 {
		more := ""
		if len(without) > mostNamed {
			more = fmt.Sprintf(" and %d more", len(without)-mostNamed)
		}
		b.notice(notice.SizeMissing, b.signal.Title, strings.Join(without[:min(len(without), mostNamed)], ", "), more)
	}
	if len(models) == 0 {
		b.notice(notice.NoModel, b.signal.Title)
	}
	return found, nil
}

// models are those that the exporters of the inputs serve and the filters keep.
func (b *builder) models(inputs []input) []string {
	var models []string
	for _, in := range inputs {
		models = append(models, b.request.Deployment.Systems[in.source.Exporter].Models...)
	}
	if len(models) == 0 {
		models = b.request.Deployment.Models()
	}
	for _, f := range b.request.Query.Filters {
		if f.Label != "model" {
			continue
		}
		if f.Op == query.OpEqual {
			models = append(models, f.Values...) // one that discovery has not seen yet
		}
		m, err := filterMatcher(f, "model")
		if err == nil {
			models = slices.DeleteFunc(models, func(model string) bool { return !m.Matches(model) })
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// sizesAsConfigured restricts each configured size to the models that it means,
// an earlier entry winning over a later one.
func (b *builder) sizesAsConfigured(label string) ([]sized, error) {
	var found []sized
	var earlier []*labels.Matcher
	named := map[string]bool{}
	for _, size := range b.request.Options.Sizes {
		if size.Model == "" || named[size.Model] {
			continue // an entry that nobody has finished, or that can take no model
		}
		named[size.Model] = true
		bytes, faulty := size.Bytes()
		if faulty != nil {
			b.unusable(size.Model, faulty)
		}
		take, leave := promql.OneOf, promql.NoneOf
		value := size.Model
		if expression, ok := size.Expression(); ok {
			take, leave = promql.Matching, promql.NotMatching
			value = ".*(?:" + expression + ").*"
		}
		m, err := take(label, value)
		if err != nil {
			if faulty != nil {
				continue // its expression is the fault, so that it means no model
			}
			return nil, err
		}
		if faulty == nil {
			found = append(found, sized{matchers: append([]*labels.Matcher{m}, earlier...), bytes: bytes.PerRequest})
			b.explain("÷ B_request of %s = %s: %s", size.Model, humanBytes(bytes.PerRequest), bytes.Derivation)
		}
		not, err := leave(label, value)
		if err != nil {
			return nil, err
		}
		earlier = append(earlier, not)
	}
	if len(named) == 0 {
		b.notice(notice.SizesMissing, b.signal.Title)
	}
	return found, nil
}

// unusable says that a model's entry gives no size, which takes only that model's numbers.
func (b *builder) unusable(model string, fault error) {
	b.notice(notice.SizeWrong,
		model, b.signal.Title, strings.ReplaceAll(fault.Error(), "\n", "; "))
}

// humanBytes prints 2684354560 as "2,684,354,560 B (2.5 GiB)".
func humanBytes(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	value, name := float64(n), ""
	for _, u := range units {
		if value < 1024 {
			break
		}
		value, name = value/1024, u
	}
	if name == "" {
		return digits + " B"
	}
	return fmt.Sprintf("%s B (%.4g %s)", digits, value, name)
}
