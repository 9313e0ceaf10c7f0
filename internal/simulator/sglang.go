package simulator

import (
	"time"
)

const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

// sglangReporter counts as SGLang's tokenizer manager and one scheduler (one DP
// rank) do. Gauges and token counters come from attention TP rank 0 alone,
// per-request histograms and failure counters from every TP rank of the
// scheduler, FlagCX's families from every rank its share.
type sglangReporter struct {
	s *scheduler

	gauges    map[string]*series
	tokenizer [priorities]tokenizerMetrics
	perClass  []sglangClass

	computed, reused, decoded               lazy
	effective                               map[string]*series
	hicache                                 *hicache
	queueTime, retracted, bootstrapFailures lazy
	transferFailures                        lazy
	latency, bootstrap, alloc, speed        lazy
	volume                                  []lazy       // per rank
	flagcx                                  []flagcxRank // per rank, none without FlagCX
	stages                                  map[string]*lazy
	drafts                                  sglangDrafts
	passes                                  sglangPasses

	logAt         time.Duration
	busyAt        time.Duration
	sinceLog      int // tokens
	retractedNow  int
	lastHit       float64
	lastPerSecond float64
	lastRetracted int
}

func (v *sglangReporter) stage(name string, took time.Duration) {
	v.stages[name].get().observe(took.Seconds())
}

func (v *sglangReporter) bootstrapped(r *Request) {
	v.stage("prefill_bootstrap", r.BootstrapDone-r.Arrival)
	v.bootstrap.get().observe(milliseconds(r.BootstrapDone - r.Arrival))
	v.alloc.get().observe(milliseconds(r.PrefillQueued - r.BootstrapDone))
}

func (v *sglangReporter) bootstrapFailed(r *Request) {
	v.bootstrapFailures.get().add(1)
	v.collect(r, 0, r.Arrival, v.s.instance.group.clock.now, BootstrapFailed)
}

func (v *sglangReporter) transferFailed(r *Request) {
	v.transferFailures.get().add(1)
	if v.s.instance.target.Role == Decode {
		for rank := range v.flagcx {
			v.flagcx[rank].failedRecvs.get().add(1)
		}
	}
	v.collect(r, 0, r.Arrival, v.s.instance.group.clock.now, Lost)
}

func (v *sglangReporter) expired(r *Request) {
	for rank := range v.flagcx {
		v.flagcx[rank].expiredReqs.get().add(1)
	}
	v.collect(r, 0, r.Arrival, v.s.instance.group.clock.now, Expired)
}

// prefillStarted is the forming of a prefill batch, where the scheduler counts
// its tokens and logs.
func (v *sglangReporter) prefillStarted(r *Request) {
	computed, cached := float64(r.InputTokens-r.CachedTokens), float64(r.CachedTokens)
	v.queueTime.get().observe((r.PrefillStart - r.PrefillQueued).Seconds())
	v.computed.get().add(computed)
	v.reused.get().add(cached)
	v.effective["input"].add(computed)
	v.effective["device_hit"].add(float64(r.deviceTokens()))
	v.effective["host_hit"].add(float64(r.HostTokens))
	v.effective["storage_hit"].add(float64(r.StorageTokens))
	v.hicache.prefillStarted(r)
	v.lastHit = cached / float64(r.InputTokens)
	v.busyAt = r.PrefillStart
	v.passes.prefill()
	v.set()
}

func (v *sglangReporter) prefillEnded(r *Request) {
	v.stage("prefill_forward", r.PrefillEnd-r.PrefillStart)
	v.hicache.prefillEnded(r)
}

func (v *sglangReporter) evicted(tokens int) { v.hicache.evict(tokens) }

// transferred is counted by prefill alone, also what decode waited for.
func (v *sglangReporter) transferred(r *Request) {
	if v.s.instance.target.Role == Decode {
		return
	}
	took := r.TransferEnd - r.TransferStart
	v.latency.get().observe(milliseconds(took))
	v.stage("prefill_transfer_kv_cache", r.TransferEnd-r.PrefillEnd)
	ranks := len(v.volume)
	for rank := range ranks {
		bytes := float64(shard(r.Bytes, rank, ranks))
		v.volume[rank].get().observe(bytes / mebibyte)
		if rank < len(v.flagcx) {
			v.flagcx[rank].transferred(bytes, took, descriptors(r))
		}
	}
	v.speed.get().observe(float64(shard(r.Bytes, 0, ranks)) / gibibyte / took.Seconds())
	v.collect(r, 1, r.Arrival, r.TransferEnd, Finished)
}

func (v *sglangReporter) decodeStarted(r *Request) {
	v.queueTime.get().observe((r.DecodeStart - r.DecodeQueued).Seconds())
	v.stage("decode_prepare", r.Preallocated-r.DecodeArrival)
	v.stage("decode_bootstrap", r.BootstrapDone-r.Preallocated)
	v.stage("decode_transferred", r.TransferEnd-r.BootstrapDone)
	v.stage("decode_waiting", r.DecodeStart-r.DecodeQueued)
}

func (v *sglangReporter) token(r *Request, interval time.Duration) {
	v.decoded.get().add(1)
	v.passes.decode(v.s, r)
	v.sinceLog++
	v.busyAt = r.LastToken
	if r.Produced == 1 {
		v.tokenizer[r.Priority].ttft.get().observe((r.FirstToken - r.DecodeArrival).Seconds())
	} else {
		v.tokenizer[r.Priority].itl.get().observe(interval.Seconds())
	}
}

func (v *sglangReporter) drafted(r *Request, accepted int) {
	v.drafts.verified(len(r.acceptance), accepted)
}

func (v *sglangReporter) preempted(*Request) {
	v.retracted.get().add(1)
	v.retractedNow++
}

func (v *sglangReporter) finished(r *Request) {
	v.collect(r, r.Produced, r.DecodeArrival, r.LastToken, Finished)
}

// aborted: every abort is counted where it is asked for; only a running request
// reaches collect_metrics as well.
func (v *sglangReporter) aborted(r *Request, running bool) {
	v.tokenizer[r.Priority].aborted.get().add(1)
	if running {
		v.collect(r, r.Produced, r.DecodeArrival, r.LastToken, Aborted)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
