package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// measured is the stable JSON of `demo --duration -o json`.
type measured struct {
	Prometheus     string         `json:"prometheus"`
	ScrapeInterval string         `json:"scrapeInterval"`
	Window         string         `json:"window"`
	Curves         []curve        `json:"curves"`
	Notices        []query.Notice `json:"notices"`
}

// curve is one curve of one model: the mean of its points, and the truth over the
// same interval, both in requests per second.
type curve struct {
	Signal string  `json:"signal"`
	System string  `json:"system"`
	Model  string  `json:"model"`
	Mean   float64 `json:"mean"`
	Truth  float64 `json:"truth"`
	Points int     `json:"points"`
}

// threeCurves are the signals of the demo and the events that they count.
var threeCurves = []struct {
	signal string
	event  simulator.Event
}{
	{"prefill_request_rate", simulator.PrefillCompleted},
	{"kv_transfer_request_rate", simulator.KVTransfers},
	{"decode_request_rate", simulator.DecodeCompleted},
}

// windowScrapes is the window of rates in scrape intervals, as the compiler chooses
// it for a step of one scrape interval.
const windowScrapes = 4

// measure asks the data source for the three curves over the interval and holds
// the mean of their points against the simulator's own record.
func (s *stack) measure(ctx context.Context, from, to time.Time) (measured, error) {
	out := measured{Prometheus: s.server.URL(), ScrapeInterval: s.scrape.String(), Curves: []curve{}, Notices: []query.Notice{}}
	request := &backend.QueryDataRequest{}
	for _, c := range threeCurves {
		text, err := json.Marshal(query.Query{Signal: c.signal, GroupBy: []string{"model"}, RateMode: query.RateWindow}.WithDefaults())
		if err != nil {
			return out, fmt.Errorf("query of %s: %w", c.signal, err)
		}
		request.Queries = append(request.Queries, backend.DataQuery{
			RefID: c.signal, JSON: text, Interval: s.scrape,
			// A point speaks of the window before it, so the first one lies a
			// window after the start. A window bears scrapes that come late on a
			// busy machine; the difference of two neighbours would not.
			TimeRange: backend.TimeRange{From: from.Add(windowScrapes * s.scrape), To: to},
		})
	}
	response, err := s.source.QueryData(ctx, request)
	if err != nil {
		return out, fmt.Errorf("the three curves: %w", err)
	}
	for i, c := range threeCurves {
		answer := response.Responses[c.signal]
		if answer.Error != nil {
			return out, fmt.Errorf("%s: %w", c.signal, answer.Error)
		}
		for _, n := range plugin.Notices(answer.Frames) {
			if !slices.Contains(out.Notices, n) {
				out.Notices = append(out.Notices, n)
			}
		}
		if compiled, err := s.source.Compile(ctx, request.Queries[i]); err == nil {
			out.Window = compiled.Window
		}
		for _, frame := range answer.Frames {
			if one, ok := s.curve(c.signal, c.event, frame, from, to); ok {
				out.Curves = append(out.Curves, one)
			}
		}
	}
	return out, nil
}

func (s *stack) curve(signal string, event simulator.Event, frame *data.Frame, from, to time.Time) (curve, bool) {
	if len(frame.Fields) < 2 || frame.Fields[1].Len() == 0 {
		return curve{}, false
	}
	values := frame.Fields[1]
	one := curve{Signal: signal, System: values.Labels["system"], Model: values.Labels["model"], Points: values.Len()}
	for i := range values.Len() {
		v, err := values.FloatAt(i)
		if err != nil {
			return curve{}, false
		}
		one.Mean += v / float64(values.Len())
	}
	began := s.live.Started()
	one.Truth = s.simulation.Truth().Rate(event, simulator.Selector{Model: one.Model}, from.Sub(began), to.Sub(began))
	return one, true
}

// warm waits until every model has its three curves and the cluster is steady.
func (s *stack) warm(ctx context.Context) error {
	const steady = 4 * time.Second
	deadline := time.Now().Add(time.Minute)
	for {
		now := time.Now()
		m, err := s.measure(ctx, now.Add(-(windowScrapes+2)*s.scrape), now)
		if err == nil && len(m.Curves) >= len(s.models)*len(threeCurves) {
			return sleep(ctx, steady)
		}
		if now.After(deadline) {
			return errors.Join(fmt.Errorf("after a minute only %d of %d curves are there", len(m.Curves), len(s.models)*len(threeCurves)), err)
		}
		if err := sleep(ctx, s.scrape); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// table prints the curves of each model beside the truth.
func (m measured) table() string {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "%-36s %20s %20s %20s\n", "req/s (truth)", "Prefill", "KV transfer", "Decode")
	var models []string
	cells := map[string]string{}
	for _, c := range m.Curves {
		if !slices.Contains(models, c.Model) {
			models = append(models, c.Model)
		}
		cells[c.Model+c.Signal] = fmt.Sprintf("%.2f (%.2f)", c.Mean, c.Truth)
	}
	slices.Sort(models)
	for _, model := range models {
		_, _ = fmt.Fprintf(&b, "%-36s", model)
		for _, c := range threeCurves {
			_, _ = fmt.Fprintf(&b, " %20s", cells[model+c.signal])
		}
		_, _ = fmt.Fprintln(&b)
	}
	return b.String()
}
