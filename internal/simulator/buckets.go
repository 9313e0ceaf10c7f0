package simulator

import "math"

// The upper bounds of the engines' histograms, without +Inf.
// Functions, so that nothing of them is shared or can be changed.

func vllmTTFTBounds() []float64 {
	return []float64{
		.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
	}
}

func vllmITLBounds() []float64 {
	return []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
}

func vllmRequestBounds() []float64 {
	return []float64{
		.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
	}
}

func vllmTokenBounds() []float64 {
	return []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000}
}

func vllmIterationBounds() []float64 {
	return []float64{1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}
}

func connectorTimeBounds() []float64 {
	return []float64{.005, .01, .025, .05, .075, .1, .2, .3, .5, .75, 1, 5}
}

// connectorBytesBounds are 2^11 to 2^33 in steps of four.
func connectorBytesBounds() []float64 {
	var bounds []float64
	for e := 11; e <= 33; e += 2 {
		bounds = append(bounds, math.Pow(2, float64(e)))
	}
	return bounds
}

func connectorDescriptorBounds() []float64 {
	return []float64{10, 20, 30, 50, 75, 100, 200, 400, 1000, 2000, 4000, 10000, 20000, 50000}
}

func sglangTTFTBounds() []float64 {
	return []float64{.1, .2, .4, .6, .8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400}
}

func sglangE2EBounds() []float64 { return append(sglangTTFTBounds(), 600, 1200, 1800, 2400) }

func sglangITLBounds() []float64 {
	return []float64{
		.002, .004, .006, .008, .01, .015, .02, .025, .03, .035, .04, .06, .08, .1, .2, .4, .6, .8, 1, 2, 4, 6, 8,
	}
}

func sglangQueueBounds() []float64 {
	return []float64{
		0, .001, .005, .01, .05, .1, .2, .5, 1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100,
		200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000, 2500, 3000,
	}
}

// sglangStageBounds are 30 bounds from 1 ms, each 1.62 times the one before.
func sglangStageBounds() []float64 {
	var bounds []float64
	for n := range 30 {
		bounds = append(bounds, .001*math.Pow(1.62, float64(n)))
	}
	return bounds
}

func sglangTransferLatencyBounds() []float64 {
	return []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000}
}

func sglangBootstrapBounds() []float64 {
	return []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500}
}

func sglangSpeedBounds() []float64 { return []float64{.1, .5, 1, 5, 10, 25, 50, 100, 200, 400} }

func sglangVolumeBounds() []float64 { return []float64{1, 5, 10, 50, 100, 500, 1000, 5000, 10000} }
