package simulator

// spread is a number in [0, 1) that looks random and is the same at every call: what
// varies from request to request without another draw.
func spread(x uint64) float64 {
	// splitmix64: well spread from consecutive inputs.
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}
