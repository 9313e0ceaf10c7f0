package simulator

import "time"

// links are the bytes that each card of a host sent and received since it was looked at
// last: over PCIe, to network card and host memory, and over NVLink, to its peers.
type links struct{ sent, received, reduced float64 }

// reducedPerToken is what the ranks add up for one token: two sums in each of 64 layers,
// of 8192 values of two bytes. The switch adds up, so each card sends and receives a sum
// once.
const reducedPerToken = 2 * 64 * 8192 * 2

// moved counts bytes that the cards of the host sent and received over PCIe, over all
// cards. A nil host has none.
func (h *host) moved(sent, received float64) {
	if h == nil {
		return
	}
	cards := float64(len(h.gpus))
	h.links.sent += sent / cards
	h.links.received += received / cards
}

// computed counts what the cards exchange for tokens. A nil host has no cards.
func (h *host) computed(tokens int) {
	if h != nil && len(h.gpus) > 1 {
		h.links.reduced += float64(tokens) * reducedPerToken
	}
}

// linkFields are DCGM's gauges of a card's links, in bytes per second: nil without.
type linkFields struct{ pcieSent, pcieReceived, nvlinkSent, nvlinkReceived *series }

func (g *gpu) addLinks() {
	g.links = &linkFields{
		pcieSent:       g.gauge("FI_PROF_PCIE_TX_BYTES", "The rate of data transmitted over the PCIe bus (in bytes/s)."),
		pcieReceived:   g.gauge("FI_PROF_PCIE_RX_BYTES", "The rate of data received over the PCIe bus (in bytes/s)."),
		nvlinkSent:     g.gauge("FI_PROF_NVLINK_TX_BYTES", "The rate of data transmitted over NVLink (in bytes/s)."),
		nvlinkReceived: g.gauge("FI_PROF_NVLINK_RX_BYTES", "The rate of data received over NVLink (in bytes/s)."),
	}
}

// lookAtLinks sets the rates since the card was looked at last; two looks at one instant
// show the same.
func (g *gpu) lookAtLinks(moved links, since time.Duration) {
	if g.links == nil || since == 0 {
		return
	}
	s := since.Seconds()
	g.links.pcieSent.set(moved.sent / s)
	g.links.pcieReceived.set(moved.received / s)
	g.links.nvlinkSent.set(moved.reduced / s)
	g.links.nvlinkReceived.set(moved.reduced / s)
}
