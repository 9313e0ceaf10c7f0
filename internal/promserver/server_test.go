package promserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	apiv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
)

func start(t *testing.T, c promserver.Config) (*promserver.Server, apiv1.API) {
	t.Helper()
	server, err := promserver.Start(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	client, err := api.NewClient(api.Config{Address: server.URL()})
	require.NoError(t, err)
	return server, apiv1.NewAPI(client)
}

const page = `# HELP vllm:e2e_request_latency_seconds Time.
# TYPE vllm:e2e_request_latency_seconds histogram
vllm:e2e_request_latency_seconds_bucket{engine="0",le="1",model_name="a/b-1.5"} %[1]d
vllm:e2e_request_latency_seconds_bucket{engine="0",le="+Inf",model_name="a/b-1.5"} %[1]d
vllm:e2e_request_latency_seconds_sum{engine="0",model_name="a/b-1.5"} %[1]d
vllm:e2e_request_latency_seconds_count{engine="0",model_name="a/b-1.5"} %[1]d
# TYPE with_instance gauge
with_instance{instance="own"} 1
`

func loadPages(t *testing.T, server *promserver.Server, base time.Time, seconds int) {
	t.Helper()
	for i := range seconds {
		text := fmt.Sprintf(page, 10*i)
		labels := map[string]string{"instance": "decode-0", "job": "vllm"}
		require.NoError(t, server.AppendText(t.Context(), []byte(text), labels, base.Add(time.Duration(i)*time.Second)))
	}
}

func TestLoadedPagesAnswerEveryEndpointOfTheAPI(t *testing.T) {
	server, prom := start(t, promserver.Config{})
	base := time.Now().Add(-time.Minute).Truncate(time.Second)
	loadPages(t, server, base, 60)
	ctx := t.Context()
	end := base.Add(59 * time.Second)

	value, _, _, err := prom.Query(ctx, `sum by (model_name) (rate(vllm:e2e_request_latency_seconds_count[30s]))`, end)
	require.NoError(t, err)
	require.Len(t, value, 1)
	require.InDelta(t, 10, float64(value.(model.Vector)[0].Value), 1e-9)

	value, _, _, err = prom.QueryRange(ctx, `up`, apiv1.Range{Start: base, End: end, Step: time.Second})
	require.NoError(t, err)
	require.Len(t, value.(model.Matrix)[0].Values, 60)

	names, _, _, err := prom.LabelNames(ctx, nil, base, end)
	require.NoError(t, err)
	require.Subset(t, names, model.LabelNames{"engine", "instance", "job", "le", "model_name", "exported_instance"})

	values, _, _, err := prom.LabelValues(ctx, "le", nil, base, end)
	require.NoError(t, err)
	require.Equal(t, model.LabelValues{"+Inf", "1.0"}, values, "le is normalised as by a scrape")

	series, _, _, err := prom.Series(ctx, []string{`with_instance{exported_instance="own"}`}, base, end)
	require.NoError(t, err)
	require.Len(t, series, 1)
	require.Equal(t, model.LabelValue("decode-0"), series[0]["instance"])

	meta, err := prom.Metadata(ctx, "", "")
	require.NoError(t, err)
	require.Equal(t, apiv1.MetricTypeHistogram, meta["vllm:e2e_request_latency_seconds"][0].Type)
	require.Equal(t, "Time.", meta["vllm:e2e_request_latency_seconds"][0].Help)

	info, err := prom.Buildinfo(ctx)
	require.NoError(t, err)
	require.Regexp(t, `^3\.`, info.Version)

	for _, call := range []func() error{
		func() error { _, err := prom.Targets(ctx); return err },
		func() error { _, err := prom.Rules(ctx, nil); return err },
		func() error { _, err := prom.Alerts(ctx); return err },
		func() error { _, err := prom.Config(ctx); return err },
		func() error { _, err := prom.Flags(ctx); return err },
		func() error { _, err := prom.Runtimeinfo(ctx); return err },
		func() error { _, err := prom.TSDB(ctx); return err },
		func() error { _, err := prom.AlertManagers(ctx); return err },
		func() error { _, err := prom.QueryExemplars(ctx, "up", base, end); return err },
	} {
		require.NoError(t, call())
	}
}

func TestAQueryErrorIsTheAPIsError(t *testing.T) {
	server, prom := start(t, promserver.Config{})
	_, _, _, err := prom.Query(t.Context(), `rate(`, time.Now())
	require.ErrorContains(t, err, "bad_data")

	form, err := http.PostForm(server.URL()+"/api/v1/query", url.Values{"query": {`{"utf8.näme"}`}})
	require.NoError(t, err)
	defer form.Body.Close()
	require.Equal(t, http.StatusOK, form.StatusCode, "UTF-8 names are valid, as in Prometheus 3")

	root, err := http.Get(server.URL() + "/")
	require.NoError(t, err)
	defer root.Body.Close()
	require.Equal(t, http.StatusNotFound, root.StatusCode)
}

func TestTargetsAreScrapedUnderTheirOwnInstanceAndJob(t *testing.T) {
	scrapes := 0
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		scrapes++
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = fmt.Fprintf(w, page, scrapes)
	}))
	defer endpoint.Close()
	_, prom := start(t, promserver.Config{
		ScrapeInterval: 100 * time.Millisecond,
		Targets: []promserver.Target{{
			Address: strings.TrimPrefix(endpoint.URL, "http://"),
			Labels:  map[string]string{"instance": "prefill-0.llama", "job": "vllm"},
		}},
	})
	require.Eventually(t, func() bool {
		value, _, _, err := prom.Query(t.Context(), `up{instance="prefill-0.llama",job="vllm"} == 1`, time.Now())
		return err == nil && len(value.(model.Vector)) == 1
	}, 10*time.Second, 50*time.Millisecond)
	value, _, _, err := prom.Query(t.Context(), `vllm:e2e_request_latency_seconds_bucket{instance="prefill-0.llama",le="1.0"}`, time.Now())
	require.NoError(t, err)
	require.Len(t, value, 1)
	meta, err := prom.Metadata(t.Context(), "vllm:e2e_request_latency_seconds", "")
	require.NoError(t, err)
	require.Len(t, meta, 1)
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	time.Sleep(100 * time.Millisecond) // earlier tests' connections go
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, err := promserver.Start(ctx, promserver.Config{})
	require.NoError(t, err)
	loadPages(t, server, time.Now().Add(-time.Minute), 10)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(server.URL() + "/-/ready")
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, response.Body)
	require.NoError(t, response.Body.Close())

	require.NoError(t, server.Close())
	require.NoError(t, server.Close(), "a second Close is harmless")
	_, err = client.Get(server.URL() + "/-/ready")
	require.Error(t, err)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
	// Polled by hand: require.Eventually has goroutines of its own.
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestTheEndOfTheContextClosesTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, err := promserver.Start(ctx, promserver.Config{})
	require.NoError(t, err)
	cancel()
	require.Eventually(t, func() bool {
		response, err := http.Get(server.URL() + "/-/ready")
		if err == nil {
			_ = response.Body.Close()
		}
		return err != nil
	}, 5*time.Second, 20*time.Millisecond)
	require.NoError(t, server.Close())
}

func TestWrongSettingsAndPagesAreRefusedWithAReason(t *testing.T) {
	_, err := promserver.Start(t.Context(), promserver.Config{ScrapeInterval: -1})
	require.ErrorContains(t, err, "ScrapeInterval")
	_, err = promserver.Start(t.Context(), promserver.Config{Targets: []promserver.Target{{}}})
	require.ErrorContains(t, err, "Targets[0].Address")

	server, prom := start(t, promserver.Config{})
	now := time.Now()
	require.ErrorContains(t, server.AppendText(t.Context(), []byte("good 1\nbad{\n"), nil, now), "parsing")
	require.ErrorContains(t, server.Append(t.Context(), promserver.Sample{Time: now}), "__name__")
	require.NoError(t, server.Append(t.Context(), promserver.Sample{
		Labels: map[string]string{"__name__": "one", "a": "b"}, Time: now, Value: 2,
	}))
	value, _, _, err := prom.Query(t.Context(), `one or good`, now)
	require.NoError(t, err)
	require.Len(t, value, 1, "a page with an error leaves nothing")
}
