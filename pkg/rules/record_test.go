package rules_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

func TestPromtoolTakesTheRecordingRules(t *testing.T) {
	text, err := rules.Records(source(t, defaultCluster()), []time.Duration{time.Minute, 5 * time.Minute})
	require.NoError(t, err)
	require.Contains(t, promtool(t, ruleFile(t, text), "check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"), "SUCCESS")
}

func TestWhatIsRecordedIsNamedByTheConvention(t *testing.T) {
	text, err := rules.Records(source(t, defaultCluster()), []time.Duration{time.Minute})
	require.NoError(t, err)
	for _, name := range []string{
		"model_instance:prefill_request_rate:rate1m", "model_instance:ttft_bucket:rate1m", "model_instance:kv_transfer_latency_bucket_ms:rate1m",
		"model_instance:prefix_cache_hit_rate_numerator:rate1m", "model_instance:kv_cache_occupied_denominator:sum",
		"model_instance:kv_cache_usage:max", "model_instance:requests_running:sum", "model_instance:kv_transfer_bytes:sum",
	} {
		require.Contains(t, string(text), "record: "+name+"\n")
	}
	s := source(t, defaultCluster())
	s.Options.Labels = map[string][]string{"engineGroup": {"engine_id"}}
	_, err = rules.Records(s, []time.Duration{time.Minute})
	require.ErrorContains(t, err, "engineGroup")
}

// overview are the queries of the PD overview for all models and instances.
func overview(t *testing.T) []query.Query {
	t.Helper()
	text, err := os.ReadFile("../../dashboards/pd-overview.json")
	require.NoError(t, err)
	var board struct {
		Panels []struct {
			Targets []json.RawMessage `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal(text, &board))
	var queries []query.Query
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			q, err := query.Parse([]byte(strings.NewReplacer(`"$bytesPerRequest"`, "0", "$model", ".*", "$instance", ".*").Replace(string(target))))
			require.NoError(t, err)
			for i := range q.Filters {
				q.Filters[i].Op = query.OpMatch
			}
			queries = append(queries, q)
		}
	}
	require.NotEmpty(t, queries)
	return queries
}

func TestTheOverviewReadsRecordedSeriesAloneAndTheSameNumbers(t *testing.T) {
	cluster := simulator.DefaultCluster()
	server, start := played(t, cluster, lasts)
	s := source(t, cluster)
	client, err := prom.New(prom.Options{URL: server.URL(), HTTP: http.DefaultClient})
	require.NoError(t, err)
	look := discovery.New(client, s.Catalog, discovery.Options{Roles: s.Options.Roles})
	window := discovery.Window{From: start.Add(8 * time.Minute), To: start.Add(lasts)}
	raw, err := look.Discover(t.Context(), window)
	require.NoError(t, err)
	require.Empty(t, raw.Recorded)

	s.Deployment = raw
	text, err := rules.Records(s, []time.Duration{time.Minute, 5 * time.Minute})
	require.NoError(t, err)
	_, err = server.Evaluate(t.Context(), text, start.Add(2*time.Minute), start.Add(lasts), scrape)
	require.NoError(t, err)
	with, err := look.Discover(t.Context(), window)
	require.NoError(t, err)
	require.NotEmpty(t, with.Recorded)

	compiler := compile.New(s.Catalog)
	compared := 0
	for _, q := range overview(t) {
		r := compile.Request{Query: q, Options: s.Options, Deployment: with, Step: 45 * time.Second} // 4 × scrape = 1m
		read, err := compiler.Compile(r)
		require.NoError(t, err)
		r.Deployment = raw
		asked, err := compiler.Compile(r)
		require.NoError(t, err)
		require.Equal(t, asked.Window, read.Window, q.Signal)
		require.Len(t, read.Expressions, len(asked.Expressions), q.Signal)
		recordedOnes := 0
		for i, e := range read.Expressions {
			require.Equal(t, asked.Expressions[i].Labels, e.Labels)
			if strings.Contains(e.PromQL, "vllm:") || strings.Contains(e.PromQL, "sglang:") {
				// Of what is not there nothing is recorded.
				require.Empty(t, answer(t, client, window, e), "%s reads what engines export: %s", q.Signal, e.PromQL)
				continue
			}
			recordedOnes++
			compared += sameNumbers(t, client, window, q.Signal, asked.Expressions[i], e)
		}
		if recordedOnes > 0 {
			require.Contains(t, read.Notices, notice.FromRecords.Of())
		}
	}
	require.Greater(t, compared, 1000)

	t.Run("what they cannot answer is read from the engines", func(t *testing.T) {
		for name, change := range map[string]func(*compile.Request){
			"another grouping": func(r *compile.Request) { r.Query.GroupBy = []string{"dp_rank"} },
			"another filter": func(r *compile.Request) {
				r.Query.Filters = []query.Filter{{Label: "job", Op: query.OpEqual, Values: []string{"sglang"}}}
			},
			"another window":    func(r *compile.Request) { r.Query.Window = "2m" },
			"every sample":      func(r *compile.Request) { r.Step = scrape },
			"neighbours":        func(r *compile.Request) { r.Query.RateMode = query.RateAdjacent },
			"a skew":            func(r *compile.Request) { r.Query.Stat = query.StatSkew },
			"another strategy":  func(r *compile.Request) { r.Options.RankStrategy = compile.RanksSum },
			"a step far longer": func(r *compile.Request) { r.Step = time.Hour },
		} {
			r := compile.Request{Query: query.Query{Signal: "decode_token_rate"}.WithDefaults(), Options: s.Options, Deployment: with, Step: 45 * time.Second}
			change(&r)
			plan, err := compiler.Compile(r)
			require.NoError(t, err)
			for _, e := range plan.Expressions {
				require.NotContains(t, e.PromQL, "model_instance:", name)
			}
			require.NotEmpty(t, plan.Expressions, name)
		}
	})
}

// answer are the values of an expression, by the logical labels of the series.
func answer(t *testing.T, client *prom.Client, w discovery.Window, e compile.Expression) map[string][]float64 {
	t.Helper()
	result, err := client.QueryRange(t.Context(), e.PromQL, prom.Range{Start: w.From, End: w.To, Step: 45 * time.Second})
	require.NoError(t, err)
	series := map[string][]float64{}
	for _, one := range result.Value.(prom.Matrix) {
		var key []string
		for label, v := range one.Metric {
			name := string(label)
			if logical, ok := e.Rename[name]; ok {
				name = logical
			}
			key = append(key, name+"="+string(v))
		}
		slices.Sort(key)
		series[strings.Join(key, ",")] = one.Values
	}
	return series
}

// sameNumbers compares two expressions point by point and counts the points.
func sameNumbers(t *testing.T, client *prom.Client, w discovery.Window, signal string, want, got compile.Expression) int {
	t.Helper()
	asked, read := answer(t, client, w, want), answer(t, client, w, got)
	require.Len(t, read, len(asked), signal)
	points := 0
	for key, values := range asked {
		require.Len(t, read[key], len(values), "%s %s: %s", signal, key, got.PromQL)
		for i, v := range values {
			require.InDelta(t, v, read[key][i], 0.01*max(1e-9, abs(v)), "%s %s", signal, key)
			points++
		}
	}
	return points
}

func abs(v float64) float64 { return max(v, -v) }
