package simulator

import (
	"strconv"
)

func newSGLangReporter(s *scheduler) *sglangReporter {
	g, role := s.instance.group, s.instance.target.Role
	v := &sglangReporter{s: s, gauges: map[string]*series{}, stages: map[string]*lazy{}, effective: map[string]*series{}, logAt: g.clock.now, busyAt: g.clock.now}
	p := s.instance.page

	base := labelSet{}.with("model_name", g.Model, "engine_type", string(role), "pp_rank", "0")
	var all []labelSet // one per TP rank of this scheduler
	ranks := s.limits.attentionTP()
	for rank := range ranks {
		global := rank
		if s.limits.DPAttention {
			global = s.dp*ranks + rank
		}
		l := base.with("moe_ep_rank", "0", "tp_rank", strconv.Itoa(global))
		if s.limits.DP > 1 {
			l = l.with("dp_rank", strconv.Itoa(s.dp))
		}
		if g.PriorityScheduling {
			l = l.with("priority", "")
		}
		all = append(all, l)
	}
	gated := all[:1]
	if g.AllSchedulers {
		gated = all
	}

	v.addGauges(p, gated)
	v.addTokenizer(p)
	families := func(kind metricKind, name, help string, bounds []float64) *family {
		return p.family(kind, "sglang:"+name, help, bounds)
	}
	once := func(name, help string, pairs ...string) lazy {
		return lazy{family: families(counter, name, help, nil), copies: extend(gated, pairs...)}
	}
	copied := func(kind metricKind, name, help string, bounds []float64) lazy {
		return lazy{family: families(kind, name, help, bounds), copies: all}
	}

	const realtime = "Total number of tokens processed, by mode."
	v.computed = once("realtime_tokens_total", realtime, "mode", "prefill_compute")
	v.reused = once("realtime_tokens_total", realtime, "mode", "prefill_cache")
	v.decoded = once("realtime_tokens_total", realtime, "mode", "decode")
	const effective = "Total number of prefill tokens, by where they came from."
	for _, mode := range []string{"device_hit", "host_hit", "storage_hit", "input"} {
		l := once("prefill_effective_tokens_total", effective, "mode", mode)
		v.effective[mode] = l.get()
	}
	v.queueTime = copied(histogram, "queue_time_seconds", "Histogram of queueing time in seconds.", sglangQueueBounds())
	v.retracted = copied(counter, "num_retracted_requests_total", "Total number of retracted requests.", nil)
	v.bootstrapFailures = copied(counter, "num_bootstrap_failed_reqs_total", "The number of bootstrap failed requests.", nil)
	v.transferFailures = copied(counter, "num_transfer_failed_reqs_total", "The number of transfer failed requests.", nil)
	v.latency = copied(histogram, "kv_transfer_latency_ms", "Histogram of KV cache transfer latency in ms.", sglangTransferLatencyBounds())
	v.bootstrap = copied(histogram, "kv_transfer_bootstrap_ms", "Histogram of KV transfer bootstrap time in ms.", sglangBootstrapBounds())
	v.alloc = copied(histogram, "kv_transfer_alloc_ms", "Histogram of KV transfer allocation waiting time in ms.", sglangBootstrapBounds())
	v.speed = copied(histogram, "kv_transfer_speed_gb_s", "Histogram of KV cache transfer speed in GB/s.", sglangSpeedBounds())
	stages := families(histogram, "per_stage_req_latency_seconds", "The latency of each stage of requests.", sglangStageBounds())
	for _, stage := range []string{
		"prefill_bootstrap", "prefill_forward", "prefill_transfer_kv_cache",
		"decode_prepare", "decode_bootstrap", "decode_transferred", "decode_waiting",
	} {
		v.stages[stage] = &lazy{family: stages, copies: extend(all, "stage", stage)}
	}

	v.drafts = newSGLangDrafts(p, gated)
	if g.CUDAGraphBatch > 0 {
		v.passes = newSGLangPasses(p, all)
	}
	for rank := range ranks {
		v.volume = append(v.volume, lazy{
			family: families(histogram, "kv_transfer_total_mb", "Histogram of KV cache transfer volume in MB.", sglangVolumeBounds()),
			copies: all[rank : rank+1],
		})
		if g.Connector == FlagCX {
			v.flagcx = append(v.flagcx, newFlagCXRank(p, base.with("tp_rank", strconv.Itoa(rank))))
		}
	}
	v.hicache = newHiCache(s, gated)
	v.set()
	return v
}

// extend adds labels to each of the copies.
func extend(copies []labelSet, pairs ...string) []labelSet {
	made := make([]labelSet, len(copies))
	for i, l := range copies {
		made[i] = l.with(pairs...)
	}
	return made
}
