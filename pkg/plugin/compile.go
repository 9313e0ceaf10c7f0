package plugin

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Compiled is a plan in the stable JSON of the command line and of POST /compile.
type Compiled struct {
	PromQL      []string       `json:"promql"`
	Legend      string         `json:"legend"`
	Unit        string         `json:"unit"`   // Grafana's unit id
	Window      string         `json:"window"` // range of the rates, "" when there are none
	Explanation []string       `json:"explanation"`
	Notices     []query.Notice `json:"notices"`
}

// Compile plans one query without running it. Without a URL in the settings the
// plan allows for every known name. What is wrong with the query is a
// *query.FieldError.
func (d *Datasource) Compile(ctx context.Context, dq backend.DataQuery) (Compiled, error) {
	p, err := d.prepare(ctx, dq)
	if err != nil {
		return Compiled{}, err
	}
	out := Compiled{
		PromQL: []string{}, Legend: p.plan.Legend, Unit: p.plan.Unit,
		Explanation: append([]string{}, p.plan.Explanation...), Notices: []query.Notice{},
	}
	for _, n := range p.plan.Notices {
		out.Notices = append(out.Notices, n.In(p.language))
	}
	for _, e := range p.plan.Expressions {
		out.PromQL = append(out.PromQL, e.PromQL)
	}
	if p.plan.Window > 0 {
		out.Window = model.Duration(p.plan.Window).String()
	}
	return out, nil
}
