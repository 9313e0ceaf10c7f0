package simulator

import (
	"strconv"
	"time"
)

const (
	linkRate   = 5e10 // bytes/s, 400 Gb/s
	packetSize = 4096 // bytes, the largest of RoCE
)

// port is one RDMA port as node_exporter's infiniband collector shows it: bytes are
// bytes already, and everything is there from the start.
type port struct {
	bytesSent, bytesReceived, packetsSent, packetsReceived *series

	wait, noticesSent, noticesHandled, marked *series
	again, sequence, outOfSequence            *series
	duplicates, writes                        *series
}

func newPort(p *page, n int) port {
	labels := labelSet{}.with("device", "mlx5_"+strconv.Itoa(n), "port", "1")
	c := func(name, help string) *series {
		return p.family(counter, "node_infiniband_"+name, help, nil).with(labels)
	}
	p.family(gauge, "node_infiniband_rate_bytes_per_second", "Maximum signal transfer rate", nil).with(labels).set(linkRate)
	made := port{
		bytesSent:       c("port_data_transmitted_bytes_total", "Number of data octets transmitted on all links"),
		bytesReceived:   c("port_data_received_bytes_total", "Number of data octets received on all links"),
		packetsSent:     c("port_packets_transmitted_total", "Number of packets transmitted on all VLs from this port (including errors)"),
		packetsReceived: c("port_packets_received_total", "Number of packets received on all VLs by this port (including errors)"),
		wait:            c("port_transmit_wait_total", "Number of ticks during which the port had data to transmit but no data was sent during the entire tick"),
		noticesSent:     c("np_cnp_packets_sent_total", "Number of CNP packets sent by the Notification Point"),
		noticesHandled:  c("rp_cnp_packets_handled_total", "Number of CNP packets handled by the Reaction Point to throttle the transmission rate"),
		marked:          c("np_ecn_marked_roce_packets_received_total", "Number of RoCEv2 packets received marked for congestion"),
		again:           c("roce_adp_retransmits_total", "Number of adaptive retransmissions for RoCE traffic"),
		sequence:        c("packet_sequence_errors_total", "Number of received NAK sequence error packets"),
		outOfSequence:   c("out_of_sequence_packets_received_total", "Number of out of sequence packets received"),
		duplicates:      c("duplicate_requests_packets_total", "Number of received packets that are duplicates"),
		writes:          c("rx_write_requests_total", "Number of received WRITE requests"),
	}
	for _, still := range [][2]string{
		{"local_ack_timeout_errors_total", "Number of times QP's ack timer expired for RC, XRC, DCT QPs at the sender side"},
		{"roce_adp_retransmits_timeout_total", "Number of times RoCE traffic reached timeout due to adaptive retransmission"},
		{"rnr_nak_retry_packets_received_total", "Number of received RNR NAK packets"},
		{"out_of_buffer_drops_total", "Number of drops which occurred due to lack of WQE for the associated QPs"},
		{"rx_read_requests_total", "Number of received READ requests"},
		{"port_discards_transmitted_total", "Number of outbound packets discarded by the port"},
		{"port_errors_received_total", "Number of packets containing an error that were received on this port"},
		{"symbol_error_total", "Number of minor link errors detected on one or more physical lanes"},
		{"link_downed_total", "Number of times the link failed to recover from an error state and went down"},
	} {
		c(still[0], still[1])
	}
	return made
}

// sent counts a rank's share of one transfer on the sending side. Under congestion
// the sender is told to slow down, waits, and sends what was lost again.
func (p port) sent(bytes float64, took time.Duration, fault *LinkFault) {
	packets := bytes / packetSize
	p.bytesSent.add(bytes)
	p.packetsSent.add(packets)
	if fault == nil {
		return
	}
	lost := packets * fault.LossShare
	p.wait.add((1 - 1/fault.Slowdown) * float64(took.Nanoseconds()))
	p.noticesHandled.add(packets / 100)
	p.again.add(lost)
	p.sequence.add(lost)
}

// received is the same on the other side.
func (p port) received(bytes float64, fault *LinkFault) {
	packets := bytes / packetSize
	p.bytesReceived.add(bytes)
	p.packetsReceived.add(packets)
	p.writes.add(packets / 8)
	if fault == nil {
		return
	}
	p.noticesSent.add(packets / 100)
	p.marked.add(packets / 50)
	p.outOfSequence.add(packets * fault.LossShare)
	p.duplicates.add(packets * fault.LossShare / 4)
}
