package compile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBindingsOfRDMAPorts(t *testing.T) {
	compilesAsWritten(t, "rdma", []written{
		{"rdma_receive_byte_rate", `sum(rate(node_infiniband_port_data_received_bytes_total[16s]))`},
		{"rdma_transmit_byte_rate", `sum(rate(node_infiniband_port_data_transmitted_bytes_total[16s]))`},
		{"rdma_link_capacity", `sum(node_infiniband_rate_bytes_per_second)`},
		{"rdma_receive_link_share", `sum(rate(node_infiniband_port_data_received_bytes_total[16s])) / (sum(node_infiniband_rate_bytes_per_second) > 0)`},
		{"rdma_transmit_link_share", `sum(rate(node_infiniband_port_data_transmitted_bytes_total[16s])) / (sum(node_infiniband_rate_bytes_per_second) > 0)`},
		{"rdma_receive_packet_rate", `sum(rate(node_infiniband_port_packets_received_total[16s]))`},
		{"rdma_transmit_packet_rate", `sum(rate(node_infiniband_port_packets_transmitted_total[16s]))`},
		{"rdma_transmit_wait_rate", `sum(rate(node_infiniband_port_transmit_wait_total[16s]))`},
		{"rdma_cnp_sent_rate", `sum(rate(node_infiniband_np_cnp_packets_sent_total[16s]))`},
		{"rdma_cnp_handled_rate", `sum(rate(node_infiniband_rp_cnp_packets_handled_total[16s]))`},
		{"rdma_ecn_marked_packet_rate", `sum(rate(node_infiniband_np_ecn_marked_roce_packets_received_total[16s]))`},
		{"rdma_adaptive_retransmit_rate", `sum(rate(node_infiniband_roce_adp_retransmits_total[16s]))`},
		{"rdma_adaptive_retransmit_timeout_rate", `sum(rate(node_infiniband_roce_adp_retransmits_timeout_total[16s]))`},
		{"rdma_duplicate_request_rate", `sum(rate(node_infiniband_duplicate_requests_packets_total[16s]))`},
		{"rdma_rnr_nak_rate", `sum(rate(node_infiniband_rnr_nak_retry_packets_received_total[16s]))`},
		{"rdma_ack_timeout_rate", `sum(rate(node_infiniband_local_ack_timeout_errors_total[16s]))`},
		{"rdma_out_of_buffer_rate", `sum(rate(node_infiniband_out_of_buffer_drops_total[16s]))`},
		{"rdma_out_of_sequence_rate", `sum(rate(node_infiniband_out_of_sequence_packets_received_total[16s]))`},
		{"rdma_sequence_error_rate", `sum(rate(node_infiniband_packet_sequence_errors_total[16s]))`},
		{"rdma_write_request_rate", `sum(rate(node_infiniband_rx_write_requests_total[16s]))`},
		{"rdma_read_request_rate", `sum(rate(node_infiniband_rx_read_requests_total[16s]))`},
		{"rdma_receive_error_rate", `sum(rate(node_infiniband_port_errors_received_total[16s]))`},
		{"rdma_transmit_discard_rate", `sum(rate(node_infiniband_port_discards_transmitted_total[16s]))`},
		{"rdma_symbol_error_rate", `sum(rate(node_infiniband_symbol_error_total[16s]))`},
		{"rdma_link_down_rate", `sum(rate(node_infiniband_link_downed_total[16s]))`},
	})
}

// rdma_exporter appends _total to the names of sysfs; text files need not.
func TestBindingsOfRDMAPortsByTheirSysfsNames(t *testing.T) {
	either := func(name string) string {
		return `sum(rate(rdma_` + name + `_total[16s]) or rate(rdma_` + name + `[16s]))`
	}
	compilesAsWritten(t, "rdma_sysfs", []written{
		{"rdma_receive_byte_rate", either("port_rcv_data") + ` * 4`},
		{"rdma_transmit_byte_rate", either("port_xmit_data") + ` * 4`},
		{"rdma_receive_packet_rate", either("port_rcv_packets")},
		{"rdma_transmit_packet_rate", either("port_xmit_packets")},
		{"rdma_transmit_wait_rate", either("port_xmit_wait")},
		{"rdma_cnp_sent_rate", either("np_cnp_sent")},
		{"rdma_cnp_handled_rate", either("rp_cnp_handled")},
		{"rdma_ecn_marked_packet_rate", either("np_ecn_marked_roce_packets")},
		{"rdma_adaptive_retransmit_rate", either("roce_adp_retrans")},
		{"rdma_adaptive_retransmit_timeout_rate", either("roce_adp_retrans_to")},
		{"rdma_duplicate_request_rate", either("duplicate_request")},
		{"rdma_rnr_nak_rate", either("rnr_nak_retry_err")},
		{"rdma_ack_timeout_rate", either("local_ack_timeout_err")},
		{"rdma_out_of_buffer_rate", either("out_of_buffer")},
		{"rdma_out_of_sequence_rate", either("out_of_sequence")},
		{"rdma_sequence_error_rate", either("packet_seq_err")},
		{"rdma_write_request_rate", either("rx_write_requests")},
		{"rdma_read_request_rate", either("rx_read_requests")},
		{"rdma_receive_error_rate", either("port_rcv_errors")},
		{"rdma_transmit_discard_rate", either("port_xmit_discards")},
		{"rdma_symbol_error_rate", either("symbol_error")},
		{"rdma_link_down_rate", either("link_downed")},
	})
}

// The same traffic, once in bytes and once in words of four: neither is 4 times
// the other, and the two are never added.
func TestWordsAndBytesOfOnePortAgree(t *testing.T) {
	values(t, `node_infiniband_port_data_received_bytes_total{instance="n1:9100",device="mlx5_0",port="1"} 0+4000x60
  rdma_port_rcv_data_total{instance="n1:9879",device="mlx5_0",port="1"} 0+1000x60`,
		ask("rdma_receive_byte_rate"), time.Minute, map[string]float64{`{system="rdma"}`: 4000, `{system="rdma_sysfs"}`: 4000})
	require.Equal(t, `sum by (device) (irate(port_xmit_data[4s])) * 4`,
		only(t, ask("rdma_transmit_byte_rate", of("rdma_sysfs"), by("device"), holding(server("rdma_sysfs", "", "port_xmit_data")))))
}

func TestLinkUseIsOfBytesAndOfEachPort(t *testing.T) {
	// 12.5 GB/s on 200 Gbit/s, and an idle port of 10 Gbit/s.
	lines := `node_infiniband_port_data_transmitted_bytes_total{instance="n1:9100",device="mlx5_0",port="1"} 0+12500000000x60
  node_infiniband_port_data_transmitted_bytes_total{instance="n1:9100",device="mlx5_1",port="1"} 0x60
  node_infiniband_rate_bytes_per_second{instance="n1:9100",device="mlx5_0",port="1"} 25000000000x60
  node_infiniband_rate_bytes_per_second{instance="n1:9100",device="mlx5_1",port="1"} 1250000000x60`
	values(t, lines, ask("rdma_transmit_link_share", by("device")), time.Minute,
		map[string]float64{`{device="mlx5_0", system="rdma"}`: 0.5, `{device="mlx5_1", system="rdma"}`: 0})
	values(t, lines, ask("rdma_transmit_link_share"), time.Minute, map[string]float64{`{system="rdma"}`: 12.5 / 26.25})
}

func TestTransmitWaitStaysInTicks(t *testing.T) {
	p := planned(t, ask("rdma_transmit_wait_rate"))
	require.Equal(t, "suffix:ticks/s", p.Unit)
	require.Contains(t, texts(p), "not seconds")
}

// Four RoCE ports, two of them down; the totals are sums of two lines of the page.
func TestThePageOfFourRoCEPorts(t *testing.T) {
	const name = "node_exporter-infiniband-roce-mlx5.prom"
	for signal, want := range map[string]float64{
		"rdma_receive_byte_rate":    22031403016 + 22447398712,
		"rdma_transmit_byte_rate":   22031412340 + 22447376952,
		"rdma_link_capacity":        60e9,
		"rdma_receive_link_share":   44478801728 / 60e9,
		"rdma_receive_packet_rate":  20665436 + 22367955,
		"rdma_transmit_packet_rate": 20665562 + 22367604,
		"rdma_write_request_rate":   354824 + 398880,
		"rdma_read_request_rate":    0,
		"rdma_transmit_wait_rate":   0,
		"rdma_rnr_nak_rate":         0,
		"rdma_out_of_buffer_rate":   0,
	} {
		t.Run(signal, func(t *testing.T) {
			got := answers(t, page(t, name), planned(t, ask(signal, of("rdma"))), minute)
			require.Len(t, got, 1)
			require.InDelta(t, want, got[`{system="rdma"}`], 1e-9*max(1, want))
		})
	}
}
