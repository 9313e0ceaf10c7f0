package simulator

// shard is the part of a rank; the first ranks take what does not divide.
func shard(total int64, rank, ranks int) int64 {
	part := total / int64(ranks)
	if int64(rank) < total%int64(ranks) {
		part++
	}
	return part
}

// descriptors is the number of contiguous pieces of one rank's write: runs of
// eight blocks of 16 tokens.
func descriptors(r *Request) float64 { return float64((r.InputTokens + 127) / 128) }
