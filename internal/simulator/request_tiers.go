package simulator

// block is the number of tokens that caches keep as one.
const block = 16

// Of so many requests one has tokens that storage does not deliver in time, and one has
// tokens for which the host has no room.
const (
	undeliveredEvery = 24
	droppedEvery     = 20
)

// placeHits says where prefill finds a request's cached tokens, and what goes wrong with
// the others. Nothing is drawn for it, so that a cache changes no other request.
func (g *group) placeHits(r *Request) {
	h := g.HostCache
	if h == nil {
		return
	}
	r.HostTokens = whole(float64(r.CachedTokens) * h.HostShare)
	r.StorageTokens = whole(float64(r.CachedTokens) * h.StorageShare)
	// Numbers that no output token has, see stepTime.
	storage, room := uint64(r.ID)<<20+1<<20-1, uint64(r.ID)<<20+1<<20-2
	if spread(storage) < 1./undeliveredEvery {
		r.UndeliveredTokens = min(r.StorageTokens, whole(float64(r.InputTokens-1-r.CachedTokens)))
	}
	if spread(room) < 1./droppedEvery {
		r.DroppedTokens = whole(float64(r.InputTokens-r.CachedTokens) / 4)
	}
}

// whole leaves out what does not fill a block.
func whole(tokens float64) int { return int(tokens) / block * block }

// deviceTokens are the cached tokens that were in GPU memory.
func (r *Request) deviceTokens() int { return r.CachedTokens - r.loadedTokens() }

// loadedTokens are the cached tokens that were brought to the GPU from the host, to
// which storage delivers.
func (r *Request) loadedTokens() int { return r.HostTokens + r.StorageTokens }

// savedTokens are those that prefill computed and then copied to the host.
func (r *Request) savedTokens() int {
	return whole(float64(r.InputTokens-r.CachedTokens)) - r.DroppedTokens
}

// storedTokens are the part of the saved ones that goes on to storage: a prefix is
// written there when it is seen again, which is taken to be one in four.
func (r *Request) storedTokens() int { return whole(float64(r.savedTokens()) / 4) }

// bytesOf is the KV cache of a part of the prompt, over all ranks.
func (r *Request) bytesOf(tokens int) int64 {
	return int64(float64(r.Bytes) * float64(tokens) / float64(r.InputTokens))
}
