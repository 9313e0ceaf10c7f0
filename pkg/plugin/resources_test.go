package plugin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func TestTheCatalogSaysWhatIsHereAndWhyOtherThingsAreNot(t *testing.T) {
	got := call(t, theDefaultCluster(t).source, http.MethodGet, "catalog", "")
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "application/json", got.header.Get("Content-Type"))
	var listing plugin.Listing
	require.NoError(t, json.Unmarshal(got.body, &listing))
	require.Subset(t, listing.Systems, []string{"vllm", "sglang", "flagcx", "nixl", "mooncake"})
	byID := map[string]plugin.ListedSignal{}
	for _, s := range listing.Signals {
		byID[s.ID] = s
		require.NotEmpty(t, s.Title, s.ID)
		require.NotEmpty(t, s.TitleZH, s.ID)
		require.NotEmpty(t, s.Meaning, s.ID)
		require.NotEmpty(t, s.Systems, s.ID)
		require.NotNil(t, s.Available, s.ID)
		if !*s.Available {
			require.NotEmpty(t, s.Reason, "%s is not here and nobody says why", s.ID)
		}
	}
	for _, signal := range []string{
		"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate", "kv_transfer_byte_rate", "kv_transfer_bytes",
		"prefill_token_rate", "decode_token_rate", "requests_running", "requests_waiting", "kv_transfer_latency",
		"prefill_bootstrap_queue", "prefill_inflight_queue", "decode_prealloc_queue", "decode_transfer_queue", "ttft", "itl",
		"e2e_latency", "queue_time", "prefill_time", "decode_time", "kv_cache_usage", "kv_cache_occupied", "kv_cache_active",
		"prefix_cache_hit_rate", "preemption_rate", "retracted_requests", "abort_rate", "bootstrap_failure_rate", "kv_bytes_per_request_measured",
	} {
		require.Contains(t, byID, signal)
		require.True(t, *byID[signal].Available, "%s: %s", signal, byID[signal].Reason)
	}
}

func TestWithoutAServerTheCatalogClaimsNothing(t *testing.T) {
	for name, test := range map[string]struct{ address, why string }{
		"no address":      {"", "URL"},
		"nothing listens": {refusing(t), "Nothing listens"},
	} {
		t.Run(name, func(t *testing.T) {
			got := call(t, opened(t, test.address, nil), http.MethodGet, "catalog", "")
			require.Equal(t, http.StatusOK, got.status)
			var listing plugin.Listing
			require.NoError(t, json.Unmarshal(got.body, &listing))
			require.NotEmpty(t, listing.Signals)
			require.Contains(t, listing.Unseen, test.why)
			for _, s := range listing.Signals {
				require.Nil(t, s.Available, s.ID)
				require.Empty(t, s.Reason, s.ID)
			}
		})
	}
}

func TestCompileGivesTheSameBytesEveryTime(t *testing.T) {
	source := theDefaultCluster(t).source
	// A second data source knows the same of the same server.
	other := theDefaultCluster(t).with(t, nil).source
	for _, s := range source.List(t.Context()).Signals {
		body := fmt.Sprintf(`{"query":{"signal":%q,"groupBy":["model","instance"]},"intervalMs":1000,"from":0,"to":60000}`, s.ID)
		first := call(t, source, http.MethodPost, "compile", body)
		second := call(t, source, http.MethodPost, "compile", body)
		require.Equal(t, http.StatusOK, first.status, "%s", first.body)
		require.Equal(t, string(first.body), string(second.body))
		third := call(t, other, http.MethodPost, "compile", body)
		require.Equal(t, string(first.body), string(third.body), s.ID)
	}
}

func TestCompileShowsThePlan(t *testing.T) {
	got := call(t, theDefaultCluster(t).source, http.MethodPost, "compile",
		`{"query":{"signal":"decode_request_rate","groupBy":["model"],"system":"vllm"},"intervalMs":1000,"maxDataPoints":60,"from":0,"to":60000}`)
	require.Equal(t, http.StatusOK, got.status)
	var compiled plugin.Compiled
	require.NoError(t, json.Unmarshal(got.body, &compiled))
	require.Equal(t, []string{
		`sum by (model_name) (irate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"decode.*"}[4s]))`,
	}, compiled.PromQL)
	require.Equal(t, "reqps", compiled.Unit)
	require.Equal(t, "4s", compiled.Window)
	require.NotEmpty(t, compiled.Explanation)
	for _, name := range []string{"promql", "legend", "unit", "window", "explanation", "notices"} {
		require.Contains(t, string(got.body), `"`+name+`":`)
	}
	require.NotContains(t, string(got.body), "null", "lists are lists also when they are empty")
}

func TestLabelValuesAreThoseOfTheScope(t *testing.T) {
	source := theDefaultCluster(t).source
	for path, want := range map[string]string{
		"labels/model/values?system=vllm":                               `["meta-llama/Llama-3.1-70B-Instruct"]`,
		"labels/model/values?signal=prefill_bootstrap_queue":            `["Qwen/Qwen2.5-32B-Instruct","deepseek-ai/DeepSeek-V3"]`,
		"labels/instance/values?system=vllm&role=prefill":               `["prefill-0.llama","prefill-1.llama"]`,
		"labels/instance/values?signal=decode_request_rate&system=vllm": `["decode-0.llama","decode-1.llama","decode-2.llama"]`,
		"labels/dp_rank/values?system=sglang":                           `["0","1","2","3"]`,
		"labels/job/values":                                             `["sglang","vllm"]`,
		"labels/role/values":                                            `["decode","prefill","unified"]`,
		"labels/no_such_label/values":                                   `[]`,
		// The gauge that all engines have lacks it.
		"labels/reason/values?system=vllm":                    `["length","repetition","stop"]`,
		"labels/system/values?signal=prefill_bootstrap_queue": `["sglang"]`,
		// Filters on other labels narrow, one on the label itself does not.
		"labels/instance/values?role=prefill&filters=" + filters("model", "=", "meta-llama/Llama-3.1-70B-Instruct"): `["prefill-0.llama","prefill-1.llama"]`,
		"labels/model/values?system=vllm&filters=" + filters("model", "!=", "meta-llama/Llama-3.1-70B-Instruct"):    `["meta-llama/Llama-3.1-70B-Instruct"]`,
		"labels/model/values?filters=" + filters("job", "=~", "vl.*"):                                               `["meta-llama/Llama-3.1-70B-Instruct"]`,
	} {
		got := call(t, source, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, got.status, "%s: %s", path, got.body)
		require.JSONEq(t, `{"values":`+want+`}`, string(got.body), path)
	}
	got := call(t, source, http.MethodGet, "labels/system/values", "")
	require.Contains(t, string(got.body), `"flagcx"`)
}

// filters is the parameter of one filter.
func filters(label, op, value string) string {
	return url.QueryEscape(fmt.Sprintf(`[{"label":%q,"op":%q,"values":[%q]}]`, label, op, value))
}

func TestWrongCallsAreAnsweredInPlainWords(t *testing.T) {
	source := theDefaultCluster(t).source
	for name, test := range map[string]struct {
		method, path, body string
		status             int
		text               string
	}{
		"an unknown path":             {http.MethodGet, "metrics", "", 404, ""},
		"a wrong method":              {http.MethodPost, "catalog", "", 405, ""},
		"compile by GET":              {http.MethodGet, "compile", "", 405, ""},
		"no JSON":                     {http.MethodPost, "compile", "{", 400, `send {"query"`},
		"an empty body":               {http.MethodPost, "compile", "", 400, `send {"query"`},
		"a body without query":        {http.MethodPost, "compile", `{"intervalMs":1000}`, 400, `send {"query"`},
		"a body of the wrong type":    {http.MethodPost, "compile", `[1]`, 400, `send {"query"`},
		"a body that is too long":     {http.MethodPost, "compile", `{"query":{"signal":"` + strings.Repeat("x", 2<<20) + `"}}`, 400, ""},
		"a query of the wrong type":   {http.MethodPost, "compile", `{"query":"ttft"}`, 400, ""},
		"an unknown signal":           {http.MethodPost, "compile", `{"query":{"signal":"ttfb"}}`, 400, "did you mean"},
		"values of a wrong role":      {http.MethodGet, "labels/model/values?role=router", "", 400, "choose one of prefill, decode, unified"},
		"values of no signal":         {http.MethodGet, "labels/model/values?signal=ttfb", "", 400, "did you mean"},
		"filters that are no list":    {http.MethodGet, "labels/job/values?filters=model", "", 400, "send a list"},
		"a filter on no label":        {http.MethodGet, "labels/job/values?filters=" + filters("", "=", "m"), "", 400, "filters[0].label"},
		"a filter of a wrong kind":    {http.MethodGet, "labels/job/values?filters=" + filters("model", "<", "m"), "", 400, "filters[0].op"},
		"too many filters":            {http.MethodGet, "labels/job/values?filters=[" + strings.Repeat("{},", 50) + "{}]", "", 400, "at most 50"},
		"a label that cannot be read": {http.MethodGet, "labels/a%00b/values", "", 400, "control characters"},
		"a filter on such a label":    {http.MethodGet, "labels/job/values?filters=" + url.QueryEscape(`[{"label":"a\u0000b","op":"=","values":["m"]}]`), "", 400, "control characters"},
		"values of an unknown system": {http.MethodGet, "labels/model/values?system=tgi", "", 400, "tgi"},
	} {
		t.Run(name, func(t *testing.T) {
			got := call(t, source, test.method, test.path, test.body)
			require.Equal(t, test.status, got.status, "%.300s", got.body)
			if test.status == http.StatusBadRequest {
				f := got.failure(t)
				require.Equal(t, 400, f.Error.Status)
				require.Equal(t, "downstream", f.Error.Source)
				require.Contains(t, f.Message, test.text)
				require.Less(t, len(f.Message), 1000)
			}
		})
	}
}

func TestBrokenSettingsAreTheAnswerOfEveryResource(t *testing.T) {
	source := opened(t, "http://localhost:9090", map[string]any{"rankStrategy": "best"})
	for _, c := range [][2]string{{http.MethodGet, "catalog"}, {http.MethodPost, "compile"}, {http.MethodGet, "labels/model/values"}} {
		got := call(t, source, c[0], c[1], `{"query":{"signal":"ttft"}}`)
		require.Equal(t, http.StatusBadRequest, got.status)
		require.Contains(t, got.failure(t).Message, "rankStrategy")
	}
}

func TestALookIsTakenAnewForThoseWhoAskAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/buildinfo") { // who the server is costs it nothing
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		data := `[]`
		if strings.HasSuffix(r.URL.Path, "/query") {
			data = `{"resultType":"vector","result":[]}`
		}
		_, _ = w.Write([]byte(`{"status":"success","data":` + data + `}`))
	}))
	t.Cleanup(server.Close)
	for _, path := range []string{"catalog", "discovery"} {
		source := opened(t, server.URL, nil)
		looks := func(path string) int64 {
			before := asked.Load()
			require.Equal(t, http.StatusOK, call(t, source, http.MethodGet, path, "").status)
			return asked.Load() - before
		}
		require.Positive(t, looks(path))
		require.Zero(t, looks(path+"?again=true"), "one that presses the button all the time costs the server nothing")
		time.Sleep(discovery.Retry)
		require.Zero(t, looks(path))
		require.Positive(t, looks(path+"?again=true"), path)
	}
}
