package simulator

import "time"

// flagcxRank are the metrics of sglang-plugin-FL of one rank. Every rank counts
// its own share, and the series appear with the first record. The plugin knows
// the attention TP rank and neither DP nor EP rank: the DP ranks of a server
// share their series.
type flagcxRank struct {
	bytes, time, transfers, descriptors, failedRecvs lazy
	expiredReqs                                      lazy
	perTime, perBytes, perDescriptors                lazy
}

func newFlagCXRank(p *page, labels labelSet) flagcxRank {
	own := func(kind metricKind, name, help string, bounds []float64) lazy {
		return lazy{family: p.family(kind, "sglang:flagcx_"+name, help, bounds), copies: []labelSet{labels}}
	}
	return flagcxRank{
		bytes:          own(counter, "total_bytes_transferred_total", "Total bytes transferred by FlagCX.", nil),
		time:           own(counter, "total_xfer_time_seconds_total", "Total FlagCX transfer time.", nil),
		transfers:      own(counter, "transfers_total", "Number of FlagCX batch transfers.", nil),
		descriptors:    own(counter, "total_descriptors_total", "Total FlagCX descriptors.", nil),
		failedRecvs:    own(counter, "num_failed_recvs_total", "Number of failed FlagCX receives.", nil),
		expiredReqs:    own(counter, "num_kv_expired_reqs_total", "Number of requests whose KV expired.", nil),
		perTime:        own(histogram, "xfer_time_seconds", "Histogram of FlagCX transfer duration.", connectorTimeBounds()),
		perBytes:       own(histogram, "bytes_transferred", "Histogram of bytes per FlagCX transfer.", connectorBytesBounds()),
		perDescriptors: own(histogram, "num_descriptors", "Histogram of descriptors per FlagCX transfer.", connectorDescriptorBounds()),
	}
}

// transferred counts one write of this rank's share.
func (f *flagcxRank) transferred(bytes float64, took time.Duration, pieces float64) {
	f.bytes.get().add(bytes)
	f.time.get().add(took.Seconds())
	f.transfers.get().add(1)
	f.descriptors.get().add(pieces)
	f.perTime.get().observe(took.Seconds())
	f.perBytes.get().observe(bytes)
	f.perDescriptors.get().observe(pieces)
}
