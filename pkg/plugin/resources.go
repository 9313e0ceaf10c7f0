package plugin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// maxBody bounds what a resource call may send.
const maxBody = 1 << 20

// resources routes the calls of the front end.
func (d *Datasource) resources() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /catalog", d.serve(d.getCatalog))
	mux.HandleFunc("POST /compile", d.serve(d.postCompile))
	mux.HandleFunc("GET /labels/{label}/values", d.serve(d.getLabelValues))
	return mux
}

// serve answers with JSON: what the handler returns, or {"error": {…}}.
func (d *Datasource) serve(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, body := http.StatusOK, any(nil)
		answer, err := handle(r)
		if err != nil {
			f := explain(err)
			status, body = f.status, errorBody{Error: errorText{Status: f.status, Source: string(f.source), Message: f.message}, Message: f.message}
		} else {
			body = answer
		}
		encoded, err := json.Marshal(body)
		if err != nil {
			status, encoded = http.StatusInternalServerError, []byte(`{"error":{"status":500,"source":"plugin","message":"the answer could not be encoded"}}`)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if _, err := w.Write(encoded); err != nil {
			backend.Logger.FromContext(r.Context()).Debug("Resource answer was not read to its end", "error", err)
		}
	}
}

type errorBody struct {
	Error errorText `json:"error"`
	// Message is where Grafana's own fetch looks for the text.
	Message string `json:"message"`
}

type errorText struct {
	Status  int    `json:"status"`
	Source  string `json:"source"`
	Message string `json:"message"`
}

// compileCall is a query with the range for which it is to be compiled.
type compileCall struct {
	Query         json.RawMessage `json:"query"`
	IntervalMS    int64           `json:"intervalMs"`
	MaxDataPoints int64           `json:"maxDataPoints"`
	From          int64           `json:"from"` // ms
	To            int64           `json:"to"`   // ms
}

// Compiled is a plan in the stable JSON of the command line and of POST /compile.
type Compiled struct {
	PromQL      []string       `json:"promql"`
	Legend      string         `json:"legend"`
	Unit        string         `json:"unit"`
	Window      string         `json:"window"`
	Explanation []string       `json:"explanation"`
	Notices     []query.Notice `json:"notices"`
}

func (d *Datasource) postCompile(r *http.Request) (any, error) {
	var call compileCall
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("read the call: %w", err)
	}
	if err := json.Unmarshal(text, &call); err != nil || len(call.Query) == 0 {
		return nil, &query.FieldError{Field: "body", Value: string(text), Remedy: `send {"query": {…}, "intervalMs": 1000, "maxDataPoints": 1000, "from": ms, "to": ms}`}
	}
	dq := backend.DataQuery{
		JSON: call.Query, Interval: time.Duration(call.IntervalMS) * time.Millisecond, MaxDataPoints: call.MaxDataPoints,
		TimeRange: backend.TimeRange{From: time.UnixMilli(call.From), To: time.UnixMilli(call.To)},
	}
	p, err := d.prepare(r.Context(), dq)
	if err != nil {
		return nil, err
	}
	return p.compiled(), nil
}

func (p prepared) compiled() Compiled {
	out := Compiled{
		PromQL: []string{}, Legend: p.plan.Legend, Unit: p.plan.Unit,
		Explanation: append([]string{}, p.plan.Explanation...), Notices: append([]query.Notice{}, p.plan.Notices...),
	}
	for _, e := range p.plan.Expressions {
		out.PromQL = append(out.PromQL, e.PromQL)
	}
	if p.plan.Window > 0 {
		out.Window = model.Duration(p.plan.Window).String()
	}
	return out
}

// listedSignal is a signal as the picker needs it.
type listedSignal struct {
	ID        string       `json:"id"`
	Title     string       `json:"title"`
	TitleZH   string       `json:"titleZh"`
	Meaning   string       `json:"meaning"`
	Group     string       `json:"group"`
	Level     string       `json:"level"`
	Unit      string       `json:"unit"`
	Kind      catalog.Kind `json:"kind"`
	Stats     []query.Stat `json:"stats"`
	Roles     []query.Role `json:"roles"`
	Labels    []string     `json:"labels"`
	Systems   []string     `json:"systems"`
	Caution   string       `json:"caution"`
	Available *bool        `json:"available"` // null: the server could not be looked at
	Reason    string       `json:"reason"`
}

type listing struct {
	Signals []listedSignal `json:"signals"`
	Systems []string       `json:"systems"`
}

func (d *Datasource) getCatalog(r *http.Request) (any, error) {
	found := d.discovered(r.Context())
	out := listing{Signals: []listedSignal{}, Systems: []string{}}
	for _, s := range d.catalog.Systems() {
		out.Systems = append(out.Systems, s.Name)
	}
	for _, s := range d.catalog.Signals() {
		out.Signals = append(out.Signals, d.listed(s, found))
	}
	return out, nil
}

func (d *Datasource) listed(s catalog.Signal, found *catalog.Deployment) listedSignal {
	one := listedSignal{
		ID: s.ID, Title: s.Title, TitleZH: s.TitleZH, Meaning: s.Meaning, Group: s.Group, Level: s.Level, Unit: s.Unit,
		Kind: s.Kind, Stats: append([]query.Stat{}, s.Stats()...), Roles: d.catalog.RolesOf(s), Labels: d.catalog.LabelsOf(s),
		Systems: []string{}, Caution: s.Caution,
	}
	for _, b := range d.catalog.Bindings(s) {
		one.Systems = append(one.Systems, b.System)
	}
	if found == nil {
		return one
	}
	q := query.Query{Signal: s.ID}.WithDefaults()
	plan, err := d.compile(q, query.Timing{Step: time.Second}, false, found)
	available := err == nil && len(plan.Expressions) > 0
	one.Available = &available
	if !available {
		for _, n := range plan.Notices {
			if n.Severity != query.SeverityInfo {
				one.Reason = n.Text
				break
			}
		}
		if err != nil {
			one.Reason = err.Error()
		}
	}
	return one
}

func (d *Datasource) getLabelValues(r *http.Request) (any, error) {
	if d.broken != nil {
		return nil, &brokenSettings{d.broken}
	}
	ask := r.URL.Query()
	values, err := d.labelValues(r.Context(), r.PathValue("label"), query.Query{
		Signal: ask.Get("signal"), System: ask.Get("system"), Role: query.Role(ask.Get("role")),
	})
	if err != nil {
		return nil, err
	}
	return struct {
		Values []string `json:"values"`
	}{Values: values}, nil
}
