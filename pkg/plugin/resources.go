package plugin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// maxBody bounds what a resource call may send.
const maxBody = 1 << 20

// resources routes the calls of the front end.
func (d *Datasource) resources() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /catalog", d.serve(d.getCatalog))
	mux.HandleFunc("POST /compile", d.serve(d.postCompile))
	mux.HandleFunc("GET /discovery", d.serve(d.getDiscovery))
	mux.HandleFunc("POST /kv-bytes", d.serve(d.postKVBytes))
	mux.HandleFunc("GET /kv-presets", d.serve(d.getPresets))
	mux.HandleFunc("GET /request-sizes", d.serve(d.getRequestSizes))
	mux.HandleFunc("GET /labels/{label}/values", d.serve(d.getLabelValues))
	return mux
}

// serve answers with JSON: what the handler returns, or {"error": {…}}.
func (d *Datasource) serve(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, body := http.StatusOK, any(nil)
		answer, err := handle(r.WithContext(d.calledByBrowser(r.Context(), r.Header)))
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

// CompileCall is a query with the range for which it is to be compiled.
type CompileCall struct {
	Query         json.RawMessage `json:"query"`
	IntervalMS    int64           `json:"intervalMs"`
	MaxDataPoints int64           `json:"maxDataPoints"`
	From          int64           `json:"from"` // ms
	To            int64           `json:"to"`   // ms
}

func (d *Datasource) postCompile(r *http.Request) (any, error) {
	var call CompileCall
	var text []byte
	if r.Body != nil { // the SDK leaves it out where a call has none
		var err error
		if text, err = io.ReadAll(io.LimitReader(r.Body, maxBody)); err != nil {
			return nil, fmt.Errorf("read the call: %w", err)
		}
	}
	if err := json.Unmarshal(text, &call); err != nil || len(call.Query) == 0 {
		return nil, &query.FieldError{Field: "body", Value: string(text), Remedy: `send {"query": {…}, "intervalMs": 1000, "maxDataPoints": 1000, "from": ms, "to": ms}`}
	}
	dq := backend.DataQuery{
		JSON: call.Query, Interval: time.Duration(call.IntervalMS) * time.Millisecond, MaxDataPoints: call.MaxDataPoints,
		TimeRange: backend.TimeRange{From: time.UnixMilli(call.From), To: time.UnixMilli(call.To)},
	}
	return d.Compile(r.Context(), dq)
}

func (d *Datasource) getCatalog(r *http.Request) (any, error) {
	if d.broken != nil {
		return nil, &brokenSettings{d.broken}
	}
	d.lookAgain(r)
	return forEditor(d.List(r.Context())), nil
}

// lookAgain looks at the server anew where a call has again=true: who presses a button has changed something and waits
// for it to show. What the look fails with comes back from the call that follows.
func (d *Datasource) lookAgain(r *http.Request) {
	if d.cache != nil && r.URL.Query().Get("again") == "true" {
		_, _ = d.cache.Get(r.Context(), discovery.Retry, discovery.Window{})
	}
}

func (d *Datasource) getLabelValues(r *http.Request) (any, error) {
	if err := d.reachable(); err != nil {
		return nil, err
	}
	label := r.PathValue("label")
	if !query.Printable(label) {
		return nil, &query.FieldError{Field: "label", Value: label, Remedy: "take control characters out of the name of a label"}
	}
	ask := r.URL.Query()
	filters, err := readFilters(ask.Get("filters"))
	if err != nil {
		return nil, err
	}
	values, err := d.labelValues(r.Context(), label, query.Query{
		Signal: ask.Get("signal"), System: ask.Get("system"), Role: query.Role(ask.Get("role")), Filters: filters,
	})
	if err != nil {
		return nil, err
	}
	return LabelValues{Values: values}, nil
}

// LabelValues is the answer of GET /labels/{label}/values.
type LabelValues struct {
	Values []string `json:"values"`
}

// mostFilters bounds what a picker may narrow its values by.
const mostFilters = 50

// readFilters reads the filters of a call's address, "" for none.
func readFilters(text string) ([]query.Filter, error) {
	if text == "" {
		return nil, nil
	}
	var filters []query.Filter
	if err := json.Unmarshal([]byte(text), &filters); err != nil {
		return nil, &query.FieldError{Field: "filters", Value: text, Remedy: `send a list such as [{"label":"model","op":"=","values":["m"]}]`}
	}
	if len(filters) > mostFilters {
		return nil, &query.FieldError{Field: "filters", Value: len(filters), Remedy: fmt.Sprintf("at most %d are taken", mostFilters)}
	}
	return filters, nil
}
