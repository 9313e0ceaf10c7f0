package plugin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// What one request of the three models moves, from the models' public figures.
const (
	// 61 layers × (512 + 64) × 2 B × 4,096 tokens, pulled by each of 8 decode ranks.
	latentBytes = 61 * (512 + 64) * 2 * 4096
	mlaBytes    = 8 * latentBytes
	// gpt-oss-120b: 18 layers keep all of 4,096 tokens, 18 the last 128, and vLLM
	// sends whole blocks of 16: one more than the window's eight. Each token has
	// 8 KV heads × 2 × 64 × 2 B in a layer.
	windowedBytes = 18*4096*(8*2*64*2) + 18*(9*16)*(8*2*64*2)
	// Llama-3.1-8B: 32 layers × 8 KV heads × 2 × 128 × 2 B × 4,096 tokens.
	plainBytes = 32 * 8 * 2 * 128 * 2 * 4096
)

// families is a cluster that serves one model of each attention family.
func families() simulator.Cluster {
	group := func(name, model string, bytes int64, decodeTP int) simulator.Group {
		return simulator.Group{
			Name: name, Model: model, Engine: simulator.VLLM,
			PrefillInstances: simulator.Instances{Count: 1, TP: 8}, DecodeInstances: simulator.Instances{Count: 1, TP: decodeTP},
			RequestRate: 12, InputTokens: simulator.Fixed(4096), OutputTokens: simulator.Range{Min: 20, Max: 60},
			PrefillTokensPerSecond: 90_000, InterTokenLatency: 10 * time.Millisecond,
			BytesPerRequest: bytes, TransferBytesPerSecond: 60e9,
		}
	}
	return simulator.Cluster{Seed: 11, Groups: []simulator.Group{
		group("mla", "deepseek-ai/DeepSeek-V3", mlaBytes, 8),
		group("sliding", "openai/gpt-oss-120b", windowedBytes, 1),
		group("plain", "meta-llama/Llama-3.1-8B-Instruct", plainBytes, 1),
	}}
}

func familySizes(mla, sliding string) map[string]any {
	entries := []string{
		`{"model": "deepseek-ai/DeepSeek-V3", "preset": "deepseek-v3", "inputTokens": 4096, "kvDtype": "bf16", "engine": "vllm", "connector": "flagcx"` + mla + `}`,
		`{"model": "openai/gpt-oss-120b", "preset": "gpt-oss-120b", "inputTokens": 4096, "kvDtype": "bf16", "engine": "vllm", "connector": "flagcx"` + sliding + `}`,
		`{"model": "/Llama-3\\.1-8B/", "preset": "llama-3.1-8b", "inputTokens": 4096, "kvDtype": "bf16", "engine": "vllm", "connector": "flagcx"}`,
	}
	return map[string]any{"requestSizes": json.RawMessage("[" + strings.Join(entries, ",") + "]")}
}

func TestRequestsOfEveryAttentionFamilyAreTheTruth(t *testing.T) {
	r := replay(t, families(), ended, familySizes(`, "decodeTP": 8`, ""))
	got := r.ask(t, byModel("kv_transfer_request_rate"), settled, ended)
	for _, g := range r.cluster.Groups {
		want := r.truth.Rate(simulator.KVTransfers, simulator.Selector{Model: g.Model}, settled+1, ended+1)
		require.InEpsilon(t, want, got.of(t, "system", "flagcx", "model", g.Model).mean(), 0.01, g.Model)
	}
	ratio := r.ask(t, byModel("kv_bytes_per_request_ratio"), ended-time.Second, ended)
	for _, g := range r.cluster.Groups {
		for at, value := range ratio.of(t, "system", "flagcx", "model", g.Model).points {
			require.InDelta(t, 1, value, 0.02, "%s at %s", g.Model, at)
		}
		requireNotice(t, ratio, query.SeverityInfo, g.Model, "the configured value is right")
	}
}

func TestAWrongSizeIsNamedByWhatIsMeasured(t *testing.T) {
	r := replay(t, families(), ended, familySizes("", `, "allTokens": true`))
	ratio := r.ask(t, byModel("kv_bytes_per_request_ratio"), ended-time.Second, ended)
	requireNotice(t, ratio, query.SeverityWarning, "deepseek-ai/DeepSeek-V3", "≈ 8", "every decode rank pulls a copy of its own: set copies to 8")
	requireNotice(t, ratio, query.SeverityWarning, "openai/gpt-oss-120b", "the windowed layers send their window only: set allTokens to false")
	requireNotice(t, ratio, query.SeverityInfo, "meta-llama/Llama-3.1-8B-Instruct", "the configured value is right")
	// What is measured is shown and never applied.
	wrong := r.ask(t, byModel("kv_transfer_request_rate"), settled, ended)
	truth := r.truth.Rate(simulator.KVTransfers, simulator.Selector{Model: "deepseek-ai/DeepSeek-V3"}, settled+1, ended+1)
	require.InEpsilon(t, 8*truth, wrong.of(t, "system", "flagcx", "model", "deepseek-ai/DeepSeek-V3").mean(), 0.01)
}

func requireNotice(t *testing.T, a answer, severity query.Severity, parts ...string) {
	t.Helper()
	for _, n := range plugin.Notices(a.frames) {
		all := n.Severity == severity
		for _, part := range parts {
			all = all && strings.Contains(n.Text, part)
		}
		if all {
			return
		}
	}
	require.Fail(t, "no such notice", "%s %v in %v", severity, parts, plugin.Notices(a.frames))
}

func TestSizesOfTheModelsThatAreServed(t *testing.T) {
	r := replay(t, families(), ended, familySizes("", `, "allTokens": true`))
	called := call(t, r.source, http.MethodGet, "request-sizes", "")
	require.Equal(t, http.StatusOK, called.status, "%s", called.body)
	var got plugin.ModelSizes
	require.NoError(t, json.Unmarshal(called.body, &got))
	require.Len(t, got.Models, 3)
	byName := map[string]plugin.ModelSize{}
	for _, m := range got.Models {
		byName[m.Model] = m
	}
	mla := byName["deepseek-ai/DeepSeek-V3"]
	require.EqualValues(t, latentBytes, mla.ConfiguredBytes)
	require.Equal(t, "deepseek-v3", mla.Preset)
	require.InEpsilon(t, mlaBytes, mla.Measured.BytesPerRequest, 0.02)
	require.InEpsilon(t, 8, mla.Ratio, 0.02)
	require.InEpsilon(t, 4096, mla.InputTokens, 0.001)
	require.Equal(t, "flagcx", mla.Measured.System)
	require.Greater(t, mla.Measured.Requests, 60.0)
	require.Contains(t, mla.Meaning, "set copies to 8")
	require.Equal(t, query.SeverityWarning, mla.Severity)
	plain := byName["meta-llama/Llama-3.1-8B-Instruct"]
	require.EqualValues(t, plainBytes, plain.ConfiguredBytes)
	require.Contains(t, plain.Meaning, "the configured value is right")
}

func TestPresetsAreListedWithTheirSource(t *testing.T) {
	called := call(t, opened(t, "", nil), http.MethodGet, "kv-presets", "")
	require.Equal(t, http.StatusOK, called.status, "%s", called.body)
	var got struct{ Presets []plugin.ListedPreset }
	require.NoError(t, json.Unmarshal(called.body, &got))
	require.Greater(t, len(got.Presets), 40)
	for _, p := range got.Presets {
		require.NotEmpty(t, p.Name)
		require.NotEmpty(t, p.Model, p.Name)
		require.NotEmpty(t, p.Source, p.Name)
		require.Regexp(t, `^\d{4}-\d{2}$`, p.Date, p.Name)
	}
}
