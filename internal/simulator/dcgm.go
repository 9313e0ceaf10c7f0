package simulator

import (
	"fmt"
	"strconv"
	"time"
)

// The card that is simulated, in the units of DCGM's fields.
const (
	boostClock   = 1980  // MHz
	idleClock    = 345   // MHz
	memoryClock  = 2619  // MHz
	idlePower    = 110   // W
	boardPower   = 700   // W
	usedMemory   = 71680 // MiB, weights and KV pool
	freeMemory   = 8960  // MiB
	systemMemory = 640   // MiB, kept by the driver
)

// gpu is one card as dcgm-exporter shows it, with a counters file that adds the
// violations, the event reasons and the XID counter to the default ones.
type gpu struct {
	page   *page
	labels labelSet

	utilization, engine, tensor, dram, sm, copyBusy *series
	clock, power, temperature, reasons              *series
	energy, thermal, limited                        *series
	links                                           *linkFields
}

func newGPU(p *page, host string, n int) gpu {
	g := gpu{page: p, labels: labelSet{}.with(
		"gpu", strconv.Itoa(n), "UUID", fmt.Sprintf("GPU-%s-%d", host, n), "pci_bus_id", fmt.Sprintf("00000000:%02X:00.0", 0x18+n),
		"device", "nvidia"+strconv.Itoa(n), "modelName", "NVIDIA H100 80GB HBM3", "Hostname", host, "DCGM_FI_DRIVER_VERSION", "580.105.08")}
	g.utilization = g.gauge("FI_DEV_GPU_UTIL", "GPU utilization (in %).")
	g.engine = g.gauge("FI_PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.")
	g.tensor = g.gauge("FI_PROF_PIPE_TENSOR_ACTIVE", "Ratio of cycles the tensor (HMMA) pipe is active.")
	g.dram = g.gauge("FI_PROF_DRAM_ACTIVE", "Ratio of cycles the device memory interface is active sending or receiving data.")
	g.sm = g.gauge("FI_PROF_SM_ACTIVE", "The ratio of cycles an SM has at least 1 warp assigned.")
	g.copyBusy = g.gauge("FI_DEV_MEM_COPY_UTIL", "Memory utilization (in %).")
	g.gauge("FI_DEV_FB_USED", "Framebuffer memory used (in MiB).").set(usedMemory)
	g.gauge("FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).").set(freeMemory)
	g.gauge("FI_DEV_FB_RESERVED", "Framebuffer memory reserved (in MiB).").set(systemMemory)
	g.clock = g.gauge("FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).")
	g.gauge("FI_DEV_MEM_CLOCK", "Memory clock frequency (in MHz).").set(memoryClock)
	g.power = g.gauge("FI_DEV_POWER_USAGE", "Power draw (in W).")
	g.temperature = g.gauge("FI_DEV_GPU_TEMP", "GPU temperature (in C).")
	g.reasons = g.gauge("FI_DEV_CLOCKS_EVENT_REASONS", "Clocks event reasons (bitmask).")
	g.energy = g.counter("FI_DEV_TOTAL_ENERGY_CONSUMPTION", "Total energy consumption since boot (in mJ).")
	g.thermal = g.counter("FI_DEV_THERMAL_VIOLATION", "Throttling duration due to thermal constraints (in ns).")
	g.limited = g.counter("FI_DEV_POWER_VIOLATION", "Throttling duration due to power constraints (in ns).")
	g.counter("FI_DEV_PCIE_REPLAY_COUNTER", "Total number of PCIe retries.")
	return g
}

func (g gpu) gauge(name, help string) *series {
	return g.page.family(gauge, "DCGM_"+name, help, nil).with(g.labels)
}

func (g gpu) counter(name, help string) *series {
	return g.page.family(counter, "DCGM_"+name, help, nil).with(g.labels)
}

// thermalSlowdown is the bit of the event reasons for software thermal slowdown.
const thermalSlowdown = 0x20

// look sets a card's values for the engine's load since they were set last. Prefill
// keeps the tensor pipes busy, decode the memory. A slow card is too hot; a card that
// waits for one spins, so that it looks busy to the oldest of the fields alone.
func (g gpu) look(role Role, load, slow float64, waits bool, since time.Duration) {
	tensor, dram := 0.62*load, 0.45*load
	if role == Decode {
		tensor, dram = 0.12*load, 0.25+0.6*load
	}
	if load == 0 {
		dram = 0
	}
	if waits {
		tensor, dram = tensor/2, dram/2
	}
	set := func(s *series, whenIdle, whenBusy float64) {
		if s.set(whenIdle); load > 0 {
			s.set(whenBusy)
		}
	}
	set(g.utilization, 0, 100)
	set(g.engine, 0, 0.5+0.5*load)
	g.tensor.set(tensor)
	g.dram.set(dram)
	set(g.sm, 0, 0.3+dram/2+tensor/2)
	g.copyBusy.set(100 * dram)
	set(g.clock, idleClock, boostClock/slow)
	watts := idlePower + (boardPower-idlePower)*min(1, 0.3*min(1, load*8)+tensor)/slow
	g.power.set(watts)
	g.temperature.set(32 + watts/14)
	g.reasons.set(0)
	g.energy.add(watts * float64(since.Milliseconds()))
	if slow > 1 && load > 0 {
		g.temperature.set(91)
		g.reasons.set(thermalSlowdown)
		g.thermal.add((1 - 1/slow) * float64(since.Nanoseconds()))
	}
}

// xid reports an error: the last code, and the counter of this code, both of which
// appear with the first one.
func (g gpu) xid(code int) {
	g.gauge("FI_DEV_XID_ERRORS", "Value of the last XID error encountered.").set(float64(code))
	g.page.family(counter, "DCGM_EXP_XID_ERRORS_TOTAL", "Count of XID errors.", nil).
		with(g.labels.with("xid", strconv.Itoa(code))).add(1)
}
