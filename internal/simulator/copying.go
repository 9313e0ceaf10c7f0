package simulator

import "time"

// What one rank copies between the tiers in a second, in bytes: PCIe 5.0 with 16 lanes
// as far as copies of pages reach, and a store behind a port of 100 Gbit/s.
const (
	hostToDevice  = 40e9
	deviceToHost  = 25e9
	storageToHost = 10e9
	hostToStorage = 8e9
)

// copyTime is the time of one copy: the same start for each, then the bytes at the
// bandwidth of the way.
func copyTime(bytes int64, bandwidth float64) time.Duration {
	return 200*time.Microsecond + seconds(float64(bytes)/bandwidth)
}
