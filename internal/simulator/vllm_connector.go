package simulator

// vllmConnector counts KV transfers as vLLM's connectors do: the statistics of
// all TP ranks are joined before they are exported, so there is one series per
// engine, and a request is as many transfers as there are ranks.
type vllmConnector interface {
	// transferred is told to both legs at the end of a request's transfer.
	transferred(r *Request)
	// failed is told to the leg which stayed when the other was lost.
	failed(r *Request)
	// expired is told to prefill when nobody fetched a request's KV cache.
	expired()
}

type (
	makeGauge     func(name, help string, pairs ...string) *series
	makeCounter   func(name, help string, pairs ...string) *series
	makeHistogram func(name, help string, bounds []float64) *series
)

func newVLLMConnector(s *scheduler, c makeCounter, h makeHistogram) vllmConnector {
	switch s.instance.group.Connector {
	case FlagCX:
		return newFlagCX(s, c, h)
	case NIXL:
		return newNIXL(s, c, h)
	default:
		return noConnector{}
	}
}

type noConnector struct{}

func (noConnector) transferred(*Request) {}
func (noConnector) failed(*Request)      {}
func (noConnector) expired()             {}

// flagcx is the connector of vllm-plugin-FL. Prefill writes and has the
// successes, decode has the failures alone.
type flagcx struct {
	s                                                *scheduler
	bytes, time, transfers, descriptors, failedRecvs *series
	expiredReqs                                      *series
	perTime, perBytes, perDescriptors                *series
}

func newFlagCX(s *scheduler, c makeCounter, h makeHistogram) *flagcx {
	f := &flagcx{s: s}
	f.bytes = c("flagcx_total_bytes_transferred_total", "Total bytes transferred by FlagCX.")
	f.time = c("flagcx_total_xfer_time_seconds_total", "Total FlagCX transfer time.")
	f.transfers = c("flagcx_transfers_total", "Number of FlagCX batch transfers.")
	f.descriptors = c("flagcx_total_descriptors_total", "Total FlagCX descriptors.")
	c("flagcx_num_failed_transfers_total", "Number of failed FlagCX transfers.")
	f.failedRecvs = c("flagcx_num_failed_recvs_total", "Number of failed FlagCX receives.")
	f.expiredReqs = c("flagcx_num_kv_expired_reqs_total", "Number of requests whose KV expired.")
	f.perTime = h("flagcx_xfer_time_seconds", "Histogram of FlagCX transfer duration.", connectorTimeBounds())
	f.perBytes = h("flagcx_bytes_transferred", "Histogram of bytes per FlagCX transfer.", connectorBytesBounds())
	f.perDescriptors = h("flagcx_num_descriptors", "Histogram of descriptors per FlagCX transfer.", connectorDescriptorBounds())
	return f
}

func (f *flagcx) transferred(r *Request) {
	if f.s.instance.target.Role == Decode {
		return
	}
	ranks := f.s.limits.TP
	took := (r.TransferEnd - r.TransferStart).Seconds()
	for rank := range ranks {
		bytes := float64(shard(r.Bytes, rank, ranks))
		f.bytes.add(bytes)
		f.time.add(took)
		f.transfers.add(1)
		f.descriptors.add(descriptors(r))
		f.perTime.observe(took)
		f.perBytes.observe(bytes)
		f.perDescriptors.observe(descriptors(r))
	}
}

// failed: prefill has nothing to report of a write that nobody asked for.
func (f *flagcx) failed(*Request) {
	if f.s.instance.target.Role == Decode {
		f.failedRecvs.add(float64(f.s.limits.TP))
	}
}

// expired: the scheduler is told once by each TP worker.
func (f *flagcx) expired() { f.expiredReqs.add(float64(f.s.limits.TP)) }

// nixl is vLLM's NIXL connector in pull mode: decode reads and counts, prefill
// knows only what nobody fetched.
type nixl struct {
	s                           *scheduler
	time, post, bytes, pieces   *series
	failedTransfers, expiredReq *series
}

func newNIXL(s *scheduler, c makeCounter, h makeHistogram) *nixl {
	n := &nixl{s: s}
	n.time = h("nixl_xfer_time_seconds", "Histogram of transfer duration for NIXL KV Cache transfers.", connectorTimeBounds())
	n.post = h("nixl_post_time_seconds", "Histogram of transfer post time for NIXL KV Cache transfers.", append([]float64{.001}, connectorTimeBounds()...))
	n.bytes = h("nixl_bytes_transferred", "Histogram of bytes transferred per NIXL KV Cache transfers.", connectorBytesBounds())
	n.pieces = h("nixl_num_descriptors", "Histogram of number of descriptors per NIXL KV Cache transfers.", connectorDescriptorBounds())
	n.failedTransfers = c("nixl_num_failed_transfers_total", "Number of failed NIXL KV Cache transfers.")
	c("nixl_num_failed_notifications_total", "Number of failed NIXL KV Cache notifications.")
	n.expiredReq = c("nixl_num_kv_expired_reqs_total", "Number of requests that had their KV expire.")
	return n
}

func (n *nixl) transferred(r *Request) {
	if n.s.instance.target.Role == Prefill {
		return
	}
	took := (r.TransferEnd - r.TransferStart).Seconds()
	ranks := n.s.limits.TP
	for rank := range ranks {
		n.time.observe(took)
		n.post.observe(took / 50)
		n.bytes.observe(float64(shard(r.Bytes, rank, ranks)))
		n.pieces.observe(descriptors(r))
	}
}

func (n *nixl) failed(*Request) {
	if n.s.instance.target.Role == Decode {
		n.failedTransfers.add(float64(n.s.limits.TP))
		return
	}
	n.expiredReq.add(1)
}

func (n *nixl) expired() { n.expiredReq.add(float64(n.s.limits.TP)) }
