package simulator

import "time"

// moved is when an event of the cache tiers happened to the request, and how much of it.
func (r *Request) moved(e Event) (time.Duration, float64) {
	switch e {
	case DeviceHitTokens:
		return r.PrefillStart, float64(r.deviceTokens())
	case HostHitTokens:
		return r.PrefillStart, float64(r.HostTokens)
	case StorageHitTokens:
		return r.PrefillStart, float64(r.StorageTokens)
	case UndeliveredTokens:
		return r.PrefillStart, float64(r.UndeliveredTokens)
	case LoadedTokens:
		return r.PrefillStart, float64(r.loadedTokens())
	case LoadedBytes:
		return r.PrefillStart, float64(r.bytesOf(r.loadedTokens()))
	case SavedTokens:
		return r.PrefillEnd, float64(r.savedTokens())
	case SavedBytes:
		return r.PrefillEnd, float64(r.bytesOf(r.savedTokens()))
	case StoredTokens:
		return r.PrefillEnd, float64(r.storedTokens())
	case DroppedTokens:
		return r.PrefillEnd, float64(r.DroppedTokens)
	}
	return never, 0
}

// TierHitRatio is the share of prompt tokens found in one tier, 0 to 1, over the prefills
// started in [from, to); NaN if there are none. The event is that of the tier's hits.
func (t Truth) TierHitRatio(tier Event, s Selector, from, to time.Duration) float64 {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	hits, all := 0.0, 0
	for r := range t.requests(s) {
		if at, tokens := r.moved(tier); r.PrefillStart != never && at >= from && at < to {
			hits += tokens
			all += r.InputTokens
		}
	}
	return hits / float64(all)
}
