package simulator

import "math"

// The upper bounds of the cache tiers' histograms, without +Inf.

func hicacheTimeBounds() []float64 {
	return []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60}
}

func hicacheLoadBounds() []float64 {
	return []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1}
}

func hicacheSpeedBounds() []float64 { return []float64{.1, .5, 1, 5, 10, 50, 100} }

func hicachePageBounds() []float64 { return []float64{1, 5, 10, 50, 100} }

func lmcacheTimeBounds() []float64 {
	return []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
}

// lmcacheLookupBounds are sixteen bounds from 10 µs, each twice the one before.
func lmcacheLookupBounds() []float64 {
	var bounds []float64
	for n := range 16 {
		bounds = append(bounds, 1e-5*math.Pow(2, float64(n)))
	}
	return bounds
}

// lmcacheSpeedBounds are 2^0 to 2^16, tokens per second.
func lmcacheSpeedBounds() []float64 {
	var bounds []float64
	for n := range 17 {
		bounds = append(bounds, math.Pow(2, float64(n)))
	}
	return bounds
}

// lmcacheRemoteBounds are milliseconds.
func lmcacheRemoteBounds() []float64 {
	return []float64{1, 5, 10, 20, 40, 60, 80, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000}
}
