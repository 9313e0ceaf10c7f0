package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	apiv1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/frames"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// question is one range query of the table.
type question struct {
	name   string
	promql string
	span   time.Duration
}

// contender answers a question in its own way and reports how many bytes of body
// or series it saw, so that an empty answer is noticed.
type contender struct {
	name   string
	answer func(ctx context.Context, q question, end time.Time) (int, error)
}

const step = time.Second

// contenders ask the server at an address: (a) the floor, (b) the usual client,
// (c) our path to frames.
func contenders(address string) ([]contender, error) {
	usual, err := api.NewClient(api.Config{Address: address, RoundTripper: http.DefaultTransport})
	if err != nil {
		return nil, err
	}
	ours, err := prom.New(prom.Options{URL: address, HTTP: &http.Client{Transport: http.DefaultTransport}})
	if err != nil {
		return nil, err
	}
	return []contender{
		{"a", func(ctx context.Context, q question, end time.Time) (int, error) {
			return discarded(ctx, address, q, end)
		}},
		{"b", func(ctx context.Context, q question, end time.Time) (int, error) {
			value, _, _, err := apiv1.NewAPI(usual).QueryRange(ctx, q.promql, apiv1.Range{Start: end.Add(-q.span), End: end, Step: step})
			if err != nil {
				return 0, err
			}
			return len(value.Type().String()), nil
		}},
		{"c", func(ctx context.Context, q question, end time.Time) (int, error) {
			result, err := ours.QueryRange(ctx, q.promql, prom.Range{Start: end.Add(-q.span), End: end, Step: step})
			if err != nil {
				return 0, err
			}
			plan := compile.Plan{Expressions: []compile.Expression{{PromQL: q.promql}}, Title: q.promql}
			made, err := frames.Build(plan, []frames.Answer{{Value: result.Value}}, frames.Options{Step: step, Format: query.FormatTimeSeries})
			return len(made), err
		}},
	}, nil
}

// discarded asks by plain HTTP and throws the answer away.
func discarded(ctx context.Context, address string, q question, end time.Time) (int, error) {
	body, err := plainly(ctx, address, q, end)
	if err != nil {
		return 0, err
	}
	defer func() { _ = body.Close() }()
	n, err := io.Copy(io.Discard, body)
	return int(n), err
}

// plainly asks by HTTP alone. The caller closes the body.
func plainly(ctx context.Context, address string, q question, end time.Time) (io.ReadCloser, error) {
	form := url.Values{
		"query": {q.promql}, "step": {fmt.Sprint(step.Seconds())},
		"start": {fmt.Sprint(end.Add(-q.span).Unix())}, "end": {fmt.Sprint(end.Unix())},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/v1/query_range", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s: status %d", q.promql, resp.StatusCode), resp.Body.Close())
	}
	return resp.Body, nil
}
