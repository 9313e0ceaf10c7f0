package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// perHost adds up the ports of a host, perPort does not.
func perHost(signal, name string) query.Query { return of(signal, name+" {{instance}}", "instance") }

func perPort(signal, name string) query.Query {
	return of(signal, name+" {{instance}} {{device}}", "instance", "device")
}

// network goes from the bytes to what holds them up: the direction of the fault.
func network() row {
	return row{title: "Network: bytes, and which side holds them up", height: 7, panels: []drawn{
		panel{
			title: "RDMA bytes/s by host", width: 8, next: []string{toTransfer},
			reads:  "Sent and received, the ports of a host added up. Prefill sends and decode receives the KV cache, so the two lie together between hosts.",
			silent: "KV traffic alone: storage and collectives share the ports. Sent and received of two hosts are the same bytes and must not be added.",
			curves: []curve{
				{prefillColour, perHost("rdma_transmit_byte_rate", "Sent")},
				{decodeColour, perHost("rdma_receive_byte_rate", "Received")},
			},
			busiest: true,
		},
		panel{
			title: "Sender waits", width: 8, next: []string{toTransfer},
			reads:   "Ticks in which a port had data and was not allowed to send. A jump points downstream: the switch or the receiver holds the sender up.",
			silent:  "seconds: the tick differs between devices, so compare a port with itself. Some RoCE cards keep it at 0.",
			curves:  []curve{{"yellow", perHost("rdma_transmit_wait_rate", "")}},
			busiest: true,
		},
		panel{
			title: "Congestion notices", width: 8,
			reads:  "Notices that receivers sent and that senders obeyed, and packets that a switch marked. Many: the fabric is congested; check queues and ECN thresholds.",
			silent: "how much slower senders became. Ports without RoCE have none.",
			curves: []curve{
				{"yellow", perHost("rdma_cnp_sent_rate", "Sent")},
				{transferColour, perHost("rdma_cnp_handled_rate", "Handled")},
				{"purple", perHost("rdma_ecn_marked_packet_rate", "Marked")},
			},
			busiest: true,
		},
		panel{
			title: "Retransmits and timeouts", width: 8, next: []string{toTransfer},
			reads:  "Anything above 0 proves lost packets or a wrong order: cables, optics, switch drops, or a peer that does not answer.",
			silent: "which link of the path lost them. The two counters are of the sending side.",
			curves: []curve{
				{"red", perHost("rdma_adaptive_retransmit_rate", "Retransmits")},
				{"purple", perHost("rdma_ack_timeout_rate", "ACK timeouts")},
			},
			busiest: true,
		},
		panel{
			title: "Receiver lacks buffers", width: 8,
			reads:  "Packets dropped, or refused for now, because the receiver had no buffer posted: look at the receiving host, its PCIe and its memory.",
			silent: "a fault of the link: this is the opposite direction of the sender's waits.",
			curves: []curve{
				{"red", perHost("rdma_out_of_buffer_rate", "Dropped")},
				{"yellow", perHost("rdma_rnr_nak_rate", "Not ready")},
			},
			busiest: true,
		},
		panel{
			title: "Out of sequence", width: 8,
			reads:  "Packets out of order and requests received twice: the receiver's view of lost packets, to hold against the sender's retransmits.",
			silent: "whether data was lost for good: the transport repairs it, at the price of time.",
			curves: []curve{
				{"yellow", perHost("rdma_out_of_sequence_rate", "Out of sequence")},
				{"purple", perHost("rdma_duplicate_request_rate", "Duplicates")},
			},
			busiest: true,
		},
	}}
}

func ports() row {
	return row{title: "Each port", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Link use, sending", width: 8, quiet: true,
			reads:  "Sent bytes over what the port can carry. One port near 100 % beside idle ones is bad spreading; all near 100 % is the limit of the network.",
			silent: "short bursts, which a mean over the window hides. Only node_exporter tells the link's rate.",
			curves: []curve{{"", perPort("rdma_transmit_link_share", "")}},
		},
		panel{
			title: "Link use, receiving", width: 8, quiet: true,
			reads:  "Received bytes over what the port can carry. Low use and slow transfers: look at waits, buffers and retransmits.",
			silent: "short bursts, which a mean over the window hides. Only node_exporter tells the link's rate.",
			curves: []curve{{"", perPort("rdma_receive_link_share", "")}},
		},
		panel{
			title: "Errors of the physical link", width: 8,
			reads:  "Symbol errors, and links that went down. Anything steady is a cable, an optic or a port to replace.",
			silent: "errors of the switch's other side. Counters may have been counting since long before: only growth matters.",
			curves: []curve{
				{"yellow", over("5m", perPort("rdma_symbol_error_rate", "Symbol"))},
				{"red", over("5m", perPort("rdma_link_down_rate", "Down"))},
			},
			quiet: true,
		},
	}}
}
