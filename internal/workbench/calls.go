package workbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
)

// queryCall is the body of /api/ds/query.
type queryCall struct {
	Queries []json.RawMessage `json:"queries"`
	From    string            `json:"from"` // epoch milliseconds, or relative to now
	To      string            `json:"to"`
}

// queryFields are what Grafana itself reads of each query.
type queryFields struct {
	RefID         string  `json:"refId"`
	QueryType     string  `json:"queryType"`
	IntervalMS    float64 `json:"intervalMs"`
	MaxDataPoints int64   `json:"maxDataPoints"`
}

// decode makes the plugin's request of a call, as Grafana does.
func (c queryCall) decode() ([]backend.DataQuery, error) {
	span := gtime.NewTimeRange(c.From, c.To)
	from, err := span.ParseFrom()
	if err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	to, err := span.ParseTo()
	if err != nil {
		return nil, fmt.Errorf("to: %w", err)
	}
	if len(c.Queries) == 0 {
		return nil, errors.New("queries: there is none")
	}
	queries := make([]backend.DataQuery, len(c.Queries))
	for i, raw := range c.Queries {
		f := queryFields{RefID: "A", IntervalMS: 1000, MaxDataPoints: 100}
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, fmt.Errorf("query %d: %w", i+1, err)
		}
		queries[i] = backend.DataQuery{
			RefID: f.RefID, QueryType: f.QueryType, MaxDataPoints: f.MaxDataPoints, JSON: raw,
			Interval:  time.Duration(f.IntervalMS * float64(time.Millisecond)),
			TimeRange: backend.TimeRange{From: from, To: to},
		}
	}
	return queries, nil
}

// query answers 200 also where single queries failed: the error is in their part
// of the answer, where Grafana's client looks for it.
func (s *source) query(w http.ResponseWriter, r *http.Request) {
	var call queryCall
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		fail(w, http.StatusBadRequest, "the queries cannot be read: "+err.Error())
		return
	}
	queries, err := call.decode()
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	instance, settings := s.current()
	response, err := instance.QueryData(r.Context(), &backend.QueryDataRequest{PluginContext: pluginContext(settings), Queries: queries})
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	answer(w, http.StatusOK, response)
}

// health answers 400 where the data source is not well, as Grafana does.
func (s *source) health(w http.ResponseWriter, r *http.Request) {
	instance, settings := s.current()
	result, err := instance.CheckHealth(r.Context(), &backend.CheckHealthRequest{PluginContext: pluginContext(settings)})
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	status := http.StatusOK
	if result.Status != backend.HealthStatusOk {
		status = http.StatusBadRequest
	}
	answer(w, status, struct {
		Status  string          `json:"status"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details,omitempty"`
	}{result.Status.String(), result.Message, result.JSONDetails})
}

// resource passes a call on to the plugin's own routes.
func (s *source) resource(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, err.Error())
		return
	}
	_, path, _ := strings.Cut(r.URL.EscapedPath(), "/resources/")
	call := path
	if r.URL.RawQuery != "" {
		call += "?" + r.URL.RawQuery
	}
	instance, settings := s.current()
	err = instance.CallResource(r.Context(), &backend.CallResourceRequest{
		PluginContext: pluginContext(settings), Method: r.Method, Path: path, URL: call, Body: body,
		Headers: map[string][]string{"Content-Type": r.Header.Values("Content-Type")},
	}, backend.CallResourceResponseSenderFunc(func(response *backend.CallResourceResponse) error {
		if kind := http.Header(response.Headers).Get("Content-Type"); kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.WriteHeader(response.Status)
		_, err := w.Write(response.Body)
		return err
	}))
	if err != nil && r.Context().Err() == nil {
		fail(w, http.StatusInternalServerError, err.Error())
	}
}

// answer sends JSON.
func answer(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"message":"the answer could not be encoded"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // who hung up does not read an error either
}

// fail sends an error in the form in which Grafana's own client looks for it.
func fail(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"message": message})
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusNotFound, "the workbench has no such call")
}
