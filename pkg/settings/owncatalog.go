package settings

import (
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// catalog reads the own systems, bindings and signals, as a text of YAML or as an
// object. own is nil where there are none, known what there is in all; both are nil where
// what is written is wrong.
func (r *reader) catalog(field string) (own, known *catalog.Catalog) {
	var err error
	switch value := r.value(field).(type) {
	case nil:
	case string:
		if value != "" {
			own, err = catalog.WithText(field, value)
		}
	case map[string]any:
		own, err = catalog.WithObject(field, value)
	default:
		r.fail(field, "is %s: write the systems and signals as a text of YAML, or as an object {\"systems\": […]}", excerpt.Value(value))
		return nil, nil
	}
	if err == nil && own == nil {
		known, err = catalog.Load()
	}
	if err != nil {
		r.errs = append(r.errs, err)
		return nil, nil
	}
	if own != nil {
		known = own
	}
	return own, known
}

// kvSource is one of the systems that count KV bytes; any, where the catalog is wrong.
func (r *reader) kvSource(field string, known *catalog.Catalog) string {
	if known == nil {
		return KVAuto
	}
	return string(choice(r, field, KVSources(known)...))
}
