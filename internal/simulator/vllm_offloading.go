package simulator

// offloading is vLLM's KV offloading connector. The statistics of all TP ranks are joined
// before they are exported: their bytes and their times add up.
type offloading struct {
	noDecode
	s                        *scheduler
	loadedBytes, loadTime    *series
	storedBytes, storingTime *series
}

func newOffloading(s *scheduler, c makeCounter) *offloading {
	return &offloading{
		s:           s,
		loadedBytes: c("kv_offload_load_bytes_total", "Bytes loaded from the offload tier to the GPU."),
		loadTime:    c("kv_offload_load_time_total", "Time of loads from the offload tier in seconds."),
		storedBytes: c("kv_offload_store_bytes_total", "Bytes stored from the GPU to the offload tier."),
		storingTime: c("kv_offload_store_time_total", "Time of stores to the offload tier in seconds."),
	}
}

func (o *offloading) prefillStarted(r *Request) {
	o.copied(r.bytesOf(r.loadedTokens()), hostToDevice, o.loadedBytes, o.loadTime)
}

func (o *offloading) prefillEnded(r *Request) {
	o.copied(r.bytesOf(r.savedTokens()), deviceToHost, o.storedBytes, o.storingTime)
}

func (o *offloading) copied(total int64, bandwidth float64, bytes, time *series) {
	if total == 0 {
		return
	}
	ranks := o.s.limits.TP
	for rank := range ranks {
		part := shard(total, rank, ranks)
		bytes.add(float64(part))
		time.add(copyTime(part, bandwidth).Seconds())
	}
}

func (*offloading) refresh() {}
