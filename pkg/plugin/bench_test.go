package plugin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// dashboard are the queries of an overview of two minutes, one point a second.
func dashboard(b *testing.B, r *replayed) []backend.DataQuery {
	b.Helper()
	asked := []query.Query{
		byModel("prefill_request_rate"), byModel("kv_transfer_request_rate"), byModel("decode_request_rate"),
		{Signal: "prefill_request_rate"}, {Signal: "kv_transfer_request_rate"}, {Signal: "decode_request_rate"},
		byModel("prefill_token_rate"), byModel("decode_token_rate"), byModel("kv_transfer_byte_rate"), byModel("kv_transfer_bytes"),
		byModel("requests_running"), byModel("requests_waiting"), byModel("prefill_bootstrap_queue"), byModel("prefill_inflight_queue"),
		byModel("decode_prealloc_queue"), byModel("decode_transfer_queue"), byModel("kv_cache_usage"), byModel("prefix_cache_hit_rate"),
	}
	for _, signal := range []string{"ttft", "itl", "e2e_latency", "queue_time", "kv_transfer_latency"} {
		for _, q := range []float64{0.5, 0.99} {
			asked = append(asked, query.Query{Signal: signal, GroupBy: []string{"model"}, Stat: query.StatQuantile, Quantile: q})
		}
	}
	var all []backend.DataQuery
	for i, q := range asked {
		dq := r.query(b, q, settled, ended)
		dq.RefID = fmt.Sprint(i)
		all = append(all, dq)
	}
	return all
}

// BenchmarkDashboard is the time of a whole dashboard through the data source. The
// metric baseline is the same PromQL by plain HTTP and encoding/json, as many at a
// time; ratio is how much longer the data source takes.
func BenchmarkDashboard(b *testing.B) {
	r := theDefaultCluster(b)
	queries := dashboard(b, r)
	var promql []string
	for _, dq := range queries {
		compiled, err := r.source.Compile(b.Context(), dq)
		require.NoError(b, err)
		promql = append(promql, compiled.PromQL...)
	}
	// Turn by turn, so that a busy machine slows both.
	var ours, plain time.Duration
	for b.Loop() {
		began := time.Now()
		response, err := r.source.QueryData(b.Context(), &backend.QueryDataRequest{Queries: queries})
		require.NoError(b, err)
		for ref, one := range response.Responses {
			require.NoError(b, one.Error, ref)
		}
		ours += time.Since(began)
		began = time.Now()
		plainly(b, r, promql)
		plain += time.Since(began)
	}
	b.ReportMetric(0, "ns/op") // of both together, which says nothing
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/dashboard")
	b.ReportMetric(float64(plain.Milliseconds())/float64(b.N), "ms/baseline")
	b.ReportMetric(float64(ours)/float64(plain), "ratio")
}

// plainly asks the server without the plugin, ten queries at a time.
func plainly(b *testing.B, r *replayed, promql []string) {
	b.Helper()
	var running sync.WaitGroup
	slots := make(chan struct{}, 10)
	for _, text := range promql {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			form := url.Values{
				"query": {text}, "step": {"1"},
				"start": {fmt.Sprint(r.start.Add(settled + time.Second).Unix())}, "end": {fmt.Sprint(r.start.Add(ended).Unix())},
			}
			response, err := http.Post(r.server.URL()+"/api/v1/query_range", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
			if err != nil {
				b.Error(err)
				return
			}
			defer func() { _ = response.Body.Close() }()
			text, err := io.ReadAll(response.Body)
			var answer struct {
				Status string `json:"status"`
				Data   struct {
					Result []struct {
						Metric map[string]string `json:"metric"`
						Values [][2]any          `json:"values"`
					} `json:"result"`
				} `json:"data"`
			}
			if err != nil || json.Unmarshal(text, &answer) != nil || answer.Status != "success" {
				b.Errorf("%s: %s", err, text)
			}
		})
	}
	running.Wait()
}
