package prom_test

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// seen is what a server got.
type seen struct {
	method, path string
	query, form  url.Values
	user         string
}

// answering serves body as JSON and tells what it was asked.
func answering(t *testing.T, body string) (address string, requests <-chan seen) {
	t.Helper()
	got := make(chan seen, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(raw))
		user, _, _ := r.BasicAuth()
		got <- seen{r.Method, r.URL.EscapedPath(), r.URL.Query(), form, user}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func newClient(t *testing.T, opts prom.Options) *prom.Client {
	t.Helper()
	if opts.HTTP == nil {
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		opts.HTTP = &http.Client{Transport: transport}
	}
	client, err := prom.New(opts)
	require.NoError(t, err)
	return client
}

const emptyMatrix = `{"status":"success","data":{"resultType":"matrix","result":[]}}`

func aRange() prom.Range {
	return prom.Range{Start: time.UnixMilli(1_700_000_000_001), End: time.UnixMilli(1_700_000_060_001), Step: 1500 * time.Millisecond}
}

func TestQueryRangeDecodesAMatrix(t *testing.T) {
	address, _ := answering(t, `{"status":"success","data":{"resultType":"matrix","result":[
		{"metric":{"__name__":"up","model":"meta/llama \"q\" é"},"values":[[1700000000.001,"1"],[1700000001,"1.5e3"],[1700000002.999,"NaN"],[1700000003,"+Inf"],[1700000004,"-Inf"],[-1.5,"-0.25"]]},
		{"metric":{},"values":[]},
		{"metric":{"h":"1"},"histograms":[[1700000000,{"count":"3","sum":"4.5","buckets":[[0,"1","2","3"]]}]]}
	]},"warnings":["PromQL warning: a"],"infos":["PromQL info: b","c"],"extra":{"later":[1,2]}}`)
	got, err := newClient(t, prom.Options{URL: address}).QueryRange(t.Context(), "up", aRange())
	require.NoError(t, err)
	require.Equal(t, []string{"PromQL warning: a", "PromQL info: b", "c"}, got.Warnings)
	matrix, ok := got.Value.(prom.Matrix)
	require.True(t, ok)
	require.Len(t, matrix, 3)
	require.Equal(t, model.Metric{"__name__": "up", "model": `meta/llama "q" é`}, matrix[0].Metric)
	require.Equal(t, []int64{1700000000001, 1700000001000, 1700000002999, 1700000003000, 1700000004000, -1500}, matrix[0].Times)
	require.Len(t, matrix[0].Values, 6)
	require.InDeltaSlice(t, []float64{1, 1500}, matrix[0].Values[:2], 0)
	require.True(t, math.IsNaN(matrix[0].Values[2]))
	require.True(t, math.IsInf(matrix[0].Values[3], 1))
	require.True(t, math.IsInf(matrix[0].Values[4], -1))
	require.InDelta(t, -0.25, matrix[0].Values[5], 0)
	require.False(t, matrix[0].Native)
	require.Empty(t, matrix[1].Values)
	require.True(t, matrix[2].Native)
	require.Empty(t, matrix[2].Values)
}

func TestQueryDecodesEveryType(t *testing.T) {
	tests := []struct {
		name, data string
		want       model.Value
	}{
		{"a vector", `{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1700000000.25,"2"]}]}`,
			model.Vector{{Metric: model.Metric{"a": "b"}, Timestamp: 1700000000250, Value: 2}}},
		{"an empty vector", `{"resultType":"vector","result":[]}`, model.Vector{}},
		{"an empty vector that is null", `{"resultType":"vector","result":null}`, model.Vector{}},
		{"a scalar", `{"resultType":"scalar","result":[1700000000,"2.5"]}`, &model.Scalar{Timestamp: 1700000000000, Value: 2.5}},
		{"a string", `{"resultType":"string","result":[1700000000,"x\ny"]}`, &model.String{Timestamp: 1700000000000, Value: "x\ny"}},
		{"a result before its type, as a proxy that sorts keys sends it", `{"result":[1700000000,"2.5"],"resultType":"scalar"}`, &model.Scalar{Timestamp: 1700000000000, Value: 2.5}},
		{"statistics beside the result", `{"resultType":"scalar","result":[1,"1"],"stats":{"timings":{}}}`, &model.Scalar{Timestamp: 1000, Value: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			address, _ := answering(t, `{"status":"success","data":`+tt.data+`}`)
			got, err := newClient(t, prom.Options{URL: address}).Query(t.Context(), "x", time.Unix(1, 0))
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Value)
			require.Empty(t, got.Warnings)
		})
	}
}

func TestRequests(t *testing.T) {
	rangeParams := url.Values{"query": {"sum(up{a=~\"b|c\"})"}, "start": {"1700000000.001"}, "end": {"1700000060.001"}, "step": {"1.500"}}
	custom := url.Values{"dedup": {"true"}}
	both := url.Values{"dedup": {"true"}, "query": rangeParams["query"], "start": rangeParams["start"], "end": rangeParams["end"], "step": rangeParams["step"]}

	t.Run("a range query posts a form and keeps custom parameters in the address", func(t *testing.T) {
		address, requests := answering(t, emptyMatrix)
		_, err := newClient(t, prom.Options{URL: address + "/prometheus/", Parameters: custom}).QueryRange(t.Context(), `sum(up{a=~"b|c"})`, aRange())
		require.NoError(t, err)
		require.Equal(t, seen{"POST", "/prometheus/api/v1/query_range", custom, rangeParams, ""}, <-requests)
	})
	t.Run("GET sends everything in the address", func(t *testing.T) {
		address, requests := answering(t, emptyMatrix)
		_, err := newClient(t, prom.Options{URL: address, Method: "GET", Parameters: custom}).QueryRange(t.Context(), `sum(up{a=~"b|c"})`, aRange())
		require.NoError(t, err)
		require.Equal(t, seen{"GET", "/api/v1/query_range", both, url.Values{}, ""}, <-requests)
	})
	t.Run("an instant query", func(t *testing.T) {
		address, requests := answering(t, emptyMatrix)
		_, err := newClient(t, prom.Options{URL: address}).Query(t.Context(), "1+1", time.UnixMilli(-1500))
		require.NoError(t, err)
		require.Equal(t, seen{"POST", "/api/v1/query", url.Values{}, url.Values{"query": {"1+1"}, "time": {"-1.500"}}, ""}, <-requests)
	})
	t.Run("login and query string of the URL are sent", func(t *testing.T) {
		address, requests := answering(t, emptyMatrix)
		parsed, err := url.Parse(address + "?tenant=a")
		require.NoError(t, err)
		parsed.User = url.UserPassword("reader", "pass")
		_, err = newClient(t, prom.Options{URL: parsed.String()}).Query(t.Context(), "1", time.Unix(1, 0))
		require.NoError(t, err)
		got := <-requests
		require.Equal(t, "reader", got.user)
		require.Equal(t, url.Values{"tenant": {"a"}}, got.query)
	})
	t.Run("label values", func(t *testing.T) {
		address, requests := answering(t, `{"status":"success","data":["a","b/c"]}`)
		got, err := newClient(t, prom.Options{URL: address}).LabelValues(t.Context(), "model_name", []string{`{a="b"}`, `up`}, time.Unix(1, 0), time.Unix(2, 0))
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b/c"}, got)
		require.Equal(t, seen{"GET", "/api/v1/label/model_name/values", url.Values{"match[]": {`{a="b"}`, "up"}, "start": {"1.000"}, "end": {"2.000"}}, url.Values{}, ""}, <-requests)
	})
	t.Run("label values of all time under a UTF-8 name", func(t *testing.T) {
		address, requests := answering(t, `{"status":"success","data":null}`)
		got, err := newClient(t, prom.Options{URL: address}).LabelValues(t.Context(), "a/b", nil, time.Time{}, time.Time{})
		require.NoError(t, err)
		require.Empty(t, got)
		require.Equal(t, seen{"GET", "/api/v1/label/U__a_2f_b/values", url.Values{}, url.Values{}, ""}, <-requests)
	})
	t.Run("build information", func(t *testing.T) {
		address, requests := answering(t, `{"status":"success","data":{"application":"Grafana Mimir","version":"3.1","features":{"x":"y"}}}`)
		got, err := newClient(t, prom.Options{URL: address}).BuildInfo(t.Context())
		require.NoError(t, err)
		require.Equal(t, prom.BuildInfo{Application: "Grafana Mimir", Version: "3.1"}, got)
		require.Equal(t, "/api/v1/status/buildinfo", (<-requests).path)
	})
}

func TestNewRefusals(t *testing.T) {
	tests := []struct {
		name string
		opts prom.Options
		want string
	}{
		{"no address", prom.Options{HTTP: http.DefaultClient}, "not a web address"},
		{"an address that cannot be read", prom.Options{URL: "http://u:hunter2@[", HTTP: http.DefaultClient}, "not a web address"},
		{"no HTTP client", prom.Options{URL: "http://a"}, "needs an HTTP client"},
		{"another method", prom.Options{URL: "http://a", HTTP: http.DefaultClient, Method: "PUT"}, "POST or GET"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := prom.New(tt.opts)
			var e *prom.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, prom.Plugin, e.Source)
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestQueryRangeRefusesNonsenseWithoutAsking(t *testing.T) {
	client := newClient(t, prom.Options{URL: "http://127.0.0.1:1"})
	for name, r := range map[string]prom.Range{
		"a step of nothing":             {Start: time.Unix(1, 0), End: time.Unix(2, 0)},
		"an end that is before a start": {Start: time.Unix(2, 0), End: time.Unix(1, 0), Step: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.QueryRange(t.Context(), "up", r)
			var e *prom.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, 400, e.Status)
			require.Equal(t, prom.Plugin, e.Source)
		})
	}
}
