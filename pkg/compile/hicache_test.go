package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/realpages"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func onHiCache(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("hicache")}, edits...)...)
}

// The host pool's gauges tell their role; the counters never do, so a role is told
// by the settings' matchers and, where none is asked for, all engines add up.
func TestPromQLOfHiCache(t *testing.T) {
	tokens := func(metric string) string { return `sum(avg ` + noRanks + ` (irate(sglang:` + metric + `[4s])))` }
	p99 := func(inner string) string { return `histogram_quantile(0.99, sum by (le) (` + inner + `))` }
	sayExactly(t, map[string]wording{
		"host pool usage": {onHiCache("hicache_host_usage", on(query.RolePrefill), byModel),
			`sum by (model_name) (max ` + noRanks + ` (sglang:hicache_host_used_tokens{engine_type="prefill"})) / (sum by (model_name) (max ` + noRanks + ` (sglang:hicache_host_total_tokens{engine_type="prefill"})) > 0)`},
		"host pool used":     {onHiCache("hicache_host_used_tokens", on(query.RolePrefill)), `sum(max ` + noRanks + ` (sglang:hicache_host_used_tokens{engine_type="prefill"}))`},
		"host pool capacity": {onHiCache("hicache_host_capacity_tokens", on(query.RolePrefill)), `sum(max ` + noRanks + ` (sglang:hicache_host_total_tokens{engine_type="prefill"}))`},

		"evicted":   {onHiCache("evicted_token_rate"), tokens("evicted_tokens_total")},
		"backed up": {onHiCache("hicache_backup_token_rate"), tokens("hicache_backup_tokens_total")},
		"loaded":    {onHiCache("hicache_load_back_token_rate"), tokens("load_back_tokens_total")},
		"dropped":   {onHiCache("hicache_dropped_token_rate"), tokens("hicache_dropped_tokens_total")},
		"read":      {onHiCache("hicache_prefetched_token_rate"), tokens("prefetched_tokens_total")},
		"written":   {onHiCache("hicache_storage_backup_token_rate"), tokens("backuped_tokens_total")},
		"found":     {onHiCache("hicache_storage_hit_token_rate"), tokens("storage_prefetch_hit_tokens_total")},
		"not delivered, by reason": {onHiCache("hicache_storage_unfulfilled_token_rate", by("reason")),
			`sum by (reason) (avg ` + noRanks + ` (irate(sglang:storage_prefetch_unfulfilled_tokens_total[4s])))`},
		"evicted on prefill, by the settings": {onHiCache("evicted_token_rate", on(query.RolePrefill), perRole),
			`sum(avg ` + noRanks + ` (irate(sglang:evicted_tokens_total{instance=~"prefill.*"}[4s])))`},
		"outcomes are always apart": {onHiCache("hicache_prefetch_outcome_rate"),
			`sum by (outcome) (avg ` + noRanks + ` (irate(sglang:hicache_prefetch_outcomes_total[4s])))`},
		"outcomes of a move between tiers, amounts of tokens left out": {onHiCache("hicache_transfer_outcome_rate"),
			`sum by (reason, tier) (avg ` + noRanks + ` (irate(sglang:hicache_transfer_outcomes_total{reason!~".*_tokens"}[4s])))`},

		// Bytes are each rank's own.
		"bytes backed up": {onHiCache("hicache_backup_byte_rate"), `sum(irate(sglang:hicache_backup_bytes_total[4s]))`},
		"bytes loaded":    {onHiCache("hicache_load_back_byte_rate"), `sum(irate(sglang:load_back_bytes_total[4s]))`},
		"backup bandwidth while copying": {onHiCache("hicache_backup_bandwidth"),
			`sum(rate(sglang:hicache_backup_bytes_total[4s])) / (sum(rate(sglang:hicache_backup_duration_seconds_sum[4s])) > 0)`},
		"load back bandwidth while copying": {onHiCache("hicache_load_back_bandwidth"),
			`sum(rate(sglang:load_back_bytes_total[4s])) / (sum(rate(sglang:load_back_duration_seconds_sum[4s])) > 0)`},

		"time to evict":     {onHiCache("eviction_time"), p99(`avg `+noRanks+` (rate(sglang:eviction_duration_seconds_bucket[4s]))`) + ` >= 0`},
		"time to back up":   {onHiCache("hicache_backup_time"), p99(`avg `+noRanks+` (rate(sglang:hicache_backup_duration_seconds_bucket[4s]))`) + ` >= 0`},
		"time to load back": {onHiCache("hicache_load_back_time"), p99(`avg `+noRanks+` (rate(sglang:load_back_duration_seconds_bucket[4s]))`) + ` >= 0`},
		"bandwidth of a read, GB of 2^30": {onHiCache("hicache_prefetch_bandwidth"),
			p99(`rate(sglang:prefetch_bandwidth_bucket[4s])`) + ` * 1073741824 >= 0`},
		"bandwidth of a write, GB of 2^30": {onHiCache("hicache_storage_backup_bandwidth"),
			p99(`rate(sglang:backup_bandwidth_bucket[4s])`) + ` * 1073741824 >= 0`},
		"pages of a read":  {onHiCache("hicache_prefetch_pages"), p99(`rate(sglang:prefetch_pgs_bucket[4s])`) + ` >= 0`},
		"pages of a write": {onHiCache("hicache_storage_backup_pages"), p99(`rate(sglang:backup_pgs_bucket[4s])`) + ` >= 0`},
	})
}

func TestTokensOfHiCacheAreCountedByEveryRankAlike(t *testing.T) {
	all := func(v float64) map[string]float64 { return map[string]float64{`{system="hicache"}`: v} }
	const newest = `
		sglang:load_back_tokens_total{instance="a",cache_type="hiradix",pool="kv",tp_rank="0",pp_rank="0",dp_rank="0"} 0+100x60
		sglang:load_back_tokens_total{instance="a",cache_type="hiradix",pool="kv",tp_rank="1",pp_rank="0",dp_rank="0"} 0+100x60
		sglang:load_back_tokens_total{instance="a",cache_type="hiradix",pool="kv",tp_rank="0",pp_rank="0",dp_rank="1"} 0+30x60
		sglang:load_back_tokens_total{instance="a",cache_type="hiradix",pool="swa",tp_rank="0",pp_rank="0",dp_rank="0"} 0+40x60
		sglang:load_back_bytes_total{instance="a",cache_type="hiradix",tp_rank="0",pp_rank="0",dp_rank="0"} 0+5000x60
		sglang:load_back_bytes_total{instance="a",cache_type="hiradix",tp_rank="1",pp_rank="0",dp_rank="0"} 0+5000x60
		sglang:load_back_bytes_total{instance="a",cache_type="hiradix",tp_rank="0",pp_rank="0",dp_rank="1"} 0+3000x60
		sglang:load_back_duration_seconds_sum{instance="a",cache_type="hiradix",tp_rank="0",pp_rank="0",dp_rank="0"} 0+0.5x60
		sglang:load_back_duration_seconds_sum{instance="a",cache_type="hiradix",tp_rank="1",pp_rank="0",dp_rank="0"} 0+0.5x60
		sglang:load_back_duration_seconds_sum{instance="a",cache_type="hiradix",tp_rank="0",pp_rank="0",dp_rank="1"} 0+0.3x60`
	// The same engine of an older build, whose two ranks' processes add up in one series.
	const older = `
		sglang:load_back_tokens_total{instance="a",cache_type="hiradix"} 0+200x60
		sglang:load_back_bytes_total{instance="a",cache_type="hiradix"} 0+10000x60`
	check(t, map[string]numbers{
		"one copy of each data-parallel rank": {newest, onHiCache("hicache_load_back_token_rate", where("pool", query.OpEqual, "kv")), all(130)},
		"pools apart":                         {newest, onHiCache("hicache_load_back_token_rate", by("pool")), map[string]float64{`{pool="kv", system="hicache"}`: 130, `{pool="swa", system="hicache"}`: 40}},
		"data-parallel ranks apart": {newest, onHiCache("hicache_load_back_token_rate", by("dp_rank"), where("pool", query.OpEqual, "kv")),
			map[string]float64{`{dp_rank="0", system="hicache"}`: 100, `{dp_rank="1", system="hicache"}`: 30}},
		"bytes of all shards":                        {newest, onHiCache("hicache_load_back_byte_rate"), all(13000)},
		"a rank's bandwidth, 13 000 bytes in 1.3 s":  {newest, onHiCache("hicache_load_back_bandwidth"), all(10000)},
		"older builds: bytes are right all the same": {older, onHiCache("hicache_load_back_byte_rate"), all(10000)},
		// Nothing in the series says that it is TP × 100; the caution does.
		"older builds: tokens of all ranks": {older, onHiCache("hicache_load_back_token_rate"), all(200)},
		"nothing copied, no bandwidth": {`
			sglang:hicache_backup_bytes_total{cache_type="hiradix"} 9x60
			sglang:hicache_backup_duration_seconds_sum{cache_type="hiradix"} 9x60`,
			onHiCache("hicache_backup_bandwidth"), map[string]float64{}},
	})
	require.Contains(t, texts(planned(t, onHiCache("hicache_load_back_token_rate"))), "divide by the TP size")
	require.NotContains(t, texts(planned(t, onHiCache("hicache_load_back_byte_rate"))), "divide by the TP size")
}

func TestTiersBelowTheGPU(t *testing.T) {
	all := func(v float64) map[string]float64 { return map[string]float64{`{system="hicache"}`: v} }
	check(t, map[string]numbers{
		// 300 of 1000 on two ranks and 100 of 1000: 400 ÷ 2000.
		"usage is of the sums": {`
			sglang:hicache_host_used_tokens{engine_type="prefill",instance="a",tp_rank="0"} 300x60
			sglang:hicache_host_used_tokens{engine_type="prefill",instance="a",tp_rank="1"} 300x60
			sglang:hicache_host_used_tokens{engine_type="prefill",instance="b",tp_rank="0"} 100x60
			sglang:hicache_host_total_tokens{engine_type="prefill",instance="a",tp_rank="0"} 1000x60
			sglang:hicache_host_total_tokens{engine_type="prefill",instance="a",tp_rank="1"} 1000x60
			sglang:hicache_host_total_tokens{engine_type="prefill",instance="b",tp_rank="0"} 1000x60`,
			onHiCache("hicache_host_usage"), map[string]float64{`{role="prefill", system="hicache"}`: 0.2}},
		"reasons are an open set, ranks copies": {`
			sglang:storage_prefetch_unfulfilled_tokens_total{storage_backend="file",tp_rank="0",reason="storage_transfer"} 0+4x60
			sglang:storage_prefetch_unfulfilled_tokens_total{storage_backend="file",tp_rank="1",reason="storage_transfer"} 0+4x60
			sglang:storage_prefetch_unfulfilled_tokens_total{storage_backend="file",tp_rank="0",reason="device_capacity"} 0+7x60`,
			onHiCache("hicache_storage_unfulfilled_token_rate", by("reason")),
			map[string]float64{`{reason="storage_transfer", system="hicache"}`: 4, `{reason="device_capacity", system="hicache"}`: 7}},
		// Attempts contain the others, tokens are no events: neither is added.
		"outcomes": {`
			sglang:hicache_transfer_outcomes_total{tp_rank="0",tier="l2_to_l3_writ",reason="attempts"} 0+5x60
			sglang:hicache_transfer_outcomes_total{tp_rank="0",tier="l2_to_l3_writ",reason="write_failed"} 0+1x60
			sglang:hicache_transfer_outcomes_total{tp_rank="0",tier="l2_to_l3_writ",reason="l3_write_tokens"} 0+640x60`,
			onHiCache("hicache_transfer_outcome_rate"), map[string]float64{
				`{reason="attempts", system="hicache", tier="l2_to_l3_writ"}`: 5, `{reason="write_failed", system="hicache", tier="l2_to_l3_writ"}`: 1}},
		// Each rank reads at 2 GB of 2^30 a second; their quantiles are not added.
		"bandwidth of a rank": {`
			sglang:prefetch_bandwidth_sum{storage_backend="mooncake",tp_rank="0"} 0+4x60
			sglang:prefetch_bandwidth_sum{storage_backend="mooncake",tp_rank="1"} 0+4x60
			sglang:prefetch_bandwidth_count{storage_backend="mooncake",tp_rank="0"} 0+2x60
			sglang:prefetch_bandwidth_count{storage_backend="mooncake",tp_rank="1"} 0+2x60`,
			onHiCache("hicache_prefetch_bandwidth", statistic(query.StatMean)), all(2147483648)},
		"idle eviction has no quantile": {`
			sglang:eviction_duration_seconds_bucket{cache_type="radix",le="0.001"} 3x60
			sglang:eviction_duration_seconds_bucket{cache_type="radix",le="+Inf"} 5x60`,
			onHiCache("eviction_time"), map[string]float64{}},
	})
}

func TestAFilterOnTheModelCannotReachTheCounters(t *testing.T) {
	p := planned(t, onHiCache("evicted_token_rate", where("model", query.OpEqual, "m")))
	require.Contains(t, texts(p), "The filter on model was not applied: sglang:evicted_tokens_total has no such label.")
	require.NotContains(t, promqls(p)[0], "model_name")
}

// The page holds the sum over all labels of each family of one real run.
func TestTheRealHiCacheRunGivesItsTotals(t *testing.T) {
	var load strings.Builder
	for line := range strings.Lines(realpages.Read(t, "sglang-hicache-sums.prom")) {
		fields := strings.Fields(line)
		require.Len(t, fields, 2, line)
		value := fields[1] + "x60"
		if cumulative(fields[0]) && fields[0] != "sglang:hicache_host_total_tokens" {
			value = "0+" + value
		}
		fmt.Fprintf(&load, "%s{instance=\"a\"} %s\n", fields[0], value)
	}
	all := func(v float64) map[string]float64 { return map[string]float64{`{system="hicache"}`: v} }
	unified := holding(server("sglang", deployment.RoleByNothing, "sglang:hicache_host_used_tokens", "sglang:hicache_host_total_tokens"))
	check(t, map[string]numbers{
		"usage of the host pool": {load.String(), onHiCache("hicache_host_usage", unified), all(6208.0 / 271296)},
		"tokens backed up":       {load.String(), onHiCache("hicache_backup_token_rate"), all(6208)},
		"bytes backed up":        {load.String(), onHiCache("hicache_backup_byte_rate"), all(915406848)},
		"nothing undelivered":    {load.String(), onHiCache("hicache_storage_unfulfilled_token_rate"), all(0)},
	})
}
