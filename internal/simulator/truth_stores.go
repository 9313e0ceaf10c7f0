package simulator

import "time"

// Tier is a place beyond the GPU where a store keeps KV.
type Tier string

// The tiers.
const (
	Host    Tier = "host"
	Storage Tier = "storage"
)

// StoreHitRatio is the share of the tokens looked up that a store found in a tier, 0 to
// 1, over the look-ups in [from, to); NaN if there are none. Look-ups happen when
// prefills start.
func (t Truth) StoreHitRatio(tier Tier, s Selector, from, to time.Duration) float64 {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	found, all := 0, 0
	for r := range t.requests(s) {
		if r.PrefillStart == never || r.PrefillStart < from || r.PrefillStart >= to {
			continue
		}
		all += r.LookedUpTokens
		if tier == Host {
			found += r.StoreHostTokens
		} else {
			found += r.StoreRemoteTokens
		}
	}
	return float64(found) / float64(all)
}
