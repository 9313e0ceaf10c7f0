package settings

import (
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// prefixes reads the metric name prefixes by system.
func (r *reader) prefixes(field string) map[string][]string {
	return r.lists(field, "a metric name prefix such as vllm: or sglang_, or \"\" for none", func(prefix string) bool {
		return prefix == "" || model.LegacyValidation.IsValidMetricName(prefix)
	})
}

// labels reads the physical candidates by logical label.
func (r *reader) labels(field string) map[string][]string {
	return r.lists(field, "a label name such as model_name", func(name string) bool {
		return name != model.MetricNameLabel && model.LegacyValidation.IsValidLabelName(name)
	})
}

// lists reads an object of lists of texts that valid accepts; what describes a
// valid text. An empty list reads as unset.
func (r *reader) lists(field, what string, valid func(string) bool) map[string][]string {
	object := r.object(field)
	if len(object) == 0 {
		return nil
	}
	lists := map[string][]string{}
	for _, key := range sortedKeys(object) {
		path := field + "." + key
		if key == "" {
			r.fail(field, "has an entry without a name: name it or remove it")
			continue
		}
		list, ok := r.texts(path, object[key])
		if !ok {
			continue
		}
		for _, text := range list {
			if !valid(text) {
				r.fail(path, "holds %s: write %s", excerpt.Quoted(text), what)
				ok = false
			}
		}
		if ok && len(list) > 0 {
			lists[key] = list
		}
	}
	if len(lists) == 0 {
		return nil
	}
	return lists
}
