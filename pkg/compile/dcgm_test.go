package compile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// written is the PromQL of one binding, written by hand. Asked for with a step of
// 15 s and a scrape interval of 1 s, so counters are rated over 16 s.
type written struct{ signal, promql string }

// compilesAsWritten holds every binding of a system against its own row.
func compilesAsWritten(t *testing.T, system string, rows []written, edits ...func(*compile.Request)) {
	t.Helper()
	rowed := map[string]bool{}
	for _, row := range rows {
		t.Run(system+" "+row.signal, func(t *testing.T) {
			require.Equal(t, row.promql, only(t, ask(row.signal, append(edits, of(system), zoomed)...)))
		})
		rowed[row.signal] = true
	}
	c, err := loaded()
	require.NoError(t, err)
	s, ok := c.System(system)
	require.True(t, ok)
	for _, b := range s.Bindings {
		require.True(t, rowed[b.Signal], "%s/%s has no row", system, b.Signal)
	}
}

// oneGPU is what one GPU's several series are collapsed by: MIG instances, and the
// labels of the pod that uses it.
const oneGPU = "without (GPU_I_ID, GPU_I_PROFILE, container, exported_container, exported_namespace, exported_pod, namespace, pod)"

func TestBindingsOfDCGM(t *testing.T) {
	compilesAsWritten(t, "dcgm", []written{
		{"gpu_utilization", `avg(max ` + oneGPU + ` (DCGM_FI_DEV_GPU_UTIL)) / 100`},
		{"gpu_engine_active", `avg(max ` + oneGPU + ` (DCGM_FI_PROF_GR_ENGINE_ACTIVE))`},
		{"gpu_sm_active", `avg(max ` + oneGPU + ` (DCGM_FI_PROF_SM_ACTIVE))`},
		{"gpu_sm_active_min", `min(DCGM_FI_PROF_SM_ACTIVE)`},
		{"gpu_sm_occupancy", `avg(max ` + oneGPU + ` (DCGM_FI_PROF_SM_OCCUPANCY))`},
		{"gpu_tensor_active", `avg(max ` + oneGPU + ` (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE))`},
		{"gpu_dram_active", `avg(max ` + oneGPU + ` (DCGM_FI_PROF_DRAM_ACTIVE))`},
		{"gpu_memory_used", `sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_USED)) * 1048576`},
		{"gpu_memory_free", `sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_FREE)) * 1048576`},
		{"gpu_memory_reserved", `sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_RESERVED)) * 1048576`},
		{"gpu_memory_usage", `sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_USED)) / ((sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_USED)) + sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_FREE))) + sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_RESERVED)) > 0)` +
			` or sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_USED)) / (sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_USED)) + sum(max ` + oneGPU + ` (DCGM_FI_DEV_FB_FREE)) > 0)`},
		{"gpu_memory_controller_utilization", `avg(max ` + oneGPU + ` (DCGM_FI_DEV_MEM_COPY_UTIL)) / 100`},
		{"gpu_pcie_transmit_bandwidth", `sum(max ` + oneGPU + ` (DCGM_FI_PROF_PCIE_TX_BYTES))`},
		{"gpu_pcie_receive_bandwidth", `sum(max ` + oneGPU + ` (DCGM_FI_PROF_PCIE_RX_BYTES))`},
		{"gpu_nvlink_transmit_bandwidth", `sum(max ` + oneGPU + ` (DCGM_FI_PROF_NVLINK_TX_BYTES))`},
		{"gpu_nvlink_receive_bandwidth", `sum(max ` + oneGPU + ` (DCGM_FI_PROF_NVLINK_RX_BYTES))`},
		{"gpu_pcie_transmit_byte_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_FI_PROF_PCIE_TX_BYTES_TOTAL[16s])))`},
		{"gpu_pcie_receive_byte_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL[16s])))`},
		{"gpu_nvlink_transmit_byte_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_FI_DEV_NVLINK_TX_BYTES_TOTAL[16s]) or rate(DCGM_FI_PROF_NVLINK_TX_BYTES_TOTAL[16s])))`},
		{"gpu_nvlink_receive_byte_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_FI_DEV_NVLINK_RX_BYTES_TOTAL[16s]) or rate(DCGM_FI_PROF_NVLINK_RX_BYTES_TOTAL[16s])))`},
		{"gpu_sm_clock", `avg(max ` + oneGPU + ` (DCGM_FI_DEV_SM_CLOCK)) * 1000000`},
		{"gpu_sm_clock_min", `min(DCGM_FI_DEV_SM_CLOCK) * 1000000`},
		{"gpu_memory_clock", `avg(max ` + oneGPU + ` (DCGM_FI_DEV_MEM_CLOCK)) * 1000000`},
		{"gpu_clock_event_reasons_raw", `max by (Hostname, gpu) (DCGM_FI_DEV_CLOCKS_EVENT_REASONS or DCGM_FI_DEV_CLOCK_THROTTLE_REASONS)`},
		{"gpu_power", `sum(max ` + oneGPU + ` (DCGM_FI_DEV_POWER_USAGE))`},
		{"gpu_energy_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[16s]))) / 1000`},
		{"gpu_energy", `sum(avg ` + oneGPU + ` (DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION)) / 1000`},
		{"gpu_last_xid_raw", `max by (Hostname, gpu) (DCGM_FI_DEV_XID_ERRORS)`},
		{"xid_error_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_EXP_XID_ERRORS_TOTAL[16s])))`},
		{"xid_errors_in_window_raw", `sum(max ` + oneGPU + ` (DCGM_EXP_XID_ERRORS_COUNT))`},
		{"gpu_pcie_replay_rate", `sum(avg ` + oneGPU + ` (rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[16s])))`},
		{"gpu_temperature", `max(DCGM_FI_DEV_GPU_TEMP)`},
		{"gpu_memory_temperature", `max(DCGM_FI_DEV_MEMORY_TEMP)`},
		{"gpu_power_violation_rate", `avg(max ` + oneGPU + ` (rate(DCGM_FI_DEV_POWER_VIOLATION[16s]))) / 1000000000`},
		{"gpu_thermal_violation_rate", `avg(max ` + oneGPU + ` (rate(DCGM_FI_DEV_THERMAL_VIOLATION[16s]))) / 1000000000`},
		{"gpu_sync_boost_violation_rate", `avg(max ` + oneGPU + ` (rate(DCGM_FI_DEV_SYNC_BOOST_VIOLATION[16s]))) / 1000000000`},
		{"gpu_board_limit_violation_rate", `avg(max ` + oneGPU + ` (rate(DCGM_FI_DEV_BOARD_LIMIT_VIOLATION[16s]))) / 1000000000`},
		{"gpu_low_utilization_violation_rate", `avg(max ` + oneGPU + ` (rate(DCGM_FI_DEV_LOW_UTIL_VIOLATION[16s]))) / 1000000000`},
		{"gpu_reliability_violation_rate", `avg(max ` + oneGPU + ` (rate(DCGM_FI_DEV_RELIABILITY_VIOLATION[16s]))) / 1000000000`},
		{"gpu_row_remap_failures", `sum(max ` + oneGPU + ` (DCGM_FI_DEV_ROW_REMAP_FAILURE))`},
		{"gpu_uncorrectable_remapped_rows", `sum(avg ` + oneGPU + ` (DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS))`},
		{"gpu_correctable_remapped_rows", `sum(avg ` + oneGPU + ` (DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS))`},
		{"decode_tokens_per_gpu", `sum(rate(vllm:generation_tokens_total[16s])) / (count(max ` + oneGPU + ` (DCGM_FI_DEV_GPU_UTIL)) > 0)`},
	}, holding(exporting("vllm:generation_tokens_total")))
}

// exporting is a server that holds every metric of the field but those of the
// engines, of which it holds the ones named.
func exporting(engines ...string) *deployment.Deployment {
	c, err := loaded()
	if err != nil {
		panic(err)
	}
	d := server("vllm", deployment.RoleByNothing, engines...)
	for _, system := range []string{"dcgm", "lmcache", "lmcache_mp", "rdma", "rdma_sysfs"} {
		s, _ := c.System(system)
		for _, b := range s.Bindings {
			for _, source := range b.AllSources() {
				for _, name := range source.Names {
					if source.Exporter == system {
						d.Metrics[s.Prefixes[0]+name], d.Metrics[s.Prefixes[0]+name+"_bucket"] = true, true
					}
				}
			}
		}
		d.Systems[system] = deployment.Found{RoleBy: deployment.RoleByNothing}
	}
	return d
}

func TestTokensPerGPUOfSGLang(t *testing.T) {
	require.Equal(t,
		`sum(avg `+noRanks+` (rate(sglang:realtime_tokens_total{engine_type="decode",mode="decode"}[4s]))) / (count(max `+oneGPU+` (DCGM_FI_DEV_GPU_UTIL)) > 0)`,
		only(t, ask("decode_tokens_per_gpu", of("sglang"), on(query.RoleDecode))))
}

func TestNumbersOfGPUs(t *testing.T) {
	const dcgm = `{system="dcgm"}`
	one := func(v float64) map[string]float64 { return map[string]float64{dcgm: v} }
	// Two GPUs of one host; the first is parted by MIG, so that its fields repeat.
	mig := func(metric, first, second string) string {
		return metric + `{instance="n1:9400",Hostname="n1",gpu="0",UUID="GPU-0",GPU_I_ID="1",GPU_I_PROFILE="3g.40gb"} ` + first + `
  ` + metric + `{instance="n1:9400",Hostname="n1",gpu="0",UUID="GPU-0",GPU_I_ID="2",GPU_I_PROFILE="3g.40gb"} ` + first + `
  ` + metric + `{instance="n1:9400",Hostname="n1",gpu="1",UUID="GPU-1"} ` + second
	}
	// One GPU whose pod was rescheduled: two series for one card.
	pods := func(metric, value string) string {
		return metric + `{instance="n1:9400",Hostname="n1",gpu="0",UUID="GPU-0",pod="exporter-a",exported_pod="decode-0",exported_namespace="x",exported_container="v"} ` + value + `
  ` + metric + `{instance="n1:9400",Hostname="n1",gpu="0",UUID="GPU-0",pod="exporter-a"} ` + value
	}
	join := func(a, b string) string { return a + "\n  " + b }
	tests := map[string]struct {
		lines string
		ask   compile.Request
		want  map[string]float64
	}{
		"MIG instances repeat their GPU's power":    {mig("DCGM_FI_DEV_POWER_USAGE", "300x60", "200x60"), ask("gpu_power"), one(500)},
		"a GPU counts once whatever its pod":        {pods("DCGM_FI_DEV_POWER_USAGE", "300x60"), ask("gpu_power"), one(300)},
		"percent becomes a share, a mean over GPUs": {mig("DCGM_FI_DEV_GPU_UTIL", "100x60", "50x60"), ask("gpu_utilization"), one(0.75)},
		"the straggler is not in the mean":          {mig("DCGM_FI_PROF_SM_ACTIVE", "0.9x60", "0.2x60"), ask("gpu_sm_active_min"), one(0.2)},
		"GPUs apart": {mig("DCGM_FI_PROF_SM_ACTIVE", "0.9x60", "0.2x60"), ask("gpu_sm_active", by("gpu")),
			map[string]float64{`{gpu="0", system="dcgm"}`: 0.9, `{gpu="1", system="dcgm"}`: 0.2}},
		// The largest over the mean: 0.9 ÷ 0.55.
		"the skew of GPUs":               {mig("DCGM_FI_PROF_SM_ACTIVE", "0.9x60", "0.2x60"), ask("gpu_sm_active", statistic(query.StatSkew)), one(0.9 / 0.55)},
		"GPUs of a pod":                  {pods("DCGM_FI_DEV_POWER_USAGE", "300x60"), ask("gpu_power", where("pod", query.OpEqual, "decode-0")), one(300)},
		"MiB become bytes":               {mig("DCGM_FI_DEV_FB_USED", "40960x60", "10240x60"), ask("gpu_memory_used"), one(51200 * 1048576)},
		"MHz become hertz":               {mig("DCGM_FI_DEV_SM_CLOCK", "1980x60", "1410x60"), ask("gpu_sm_clock_min"), one(1.41e9)},
		"millijoules become joules":      {mig("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "300000x60", "200000x60"), ask("gpu_energy"), one(500)},
		"millijoules a second are watts": {mig("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "0+300000x60", "0+200000x60"), ask("gpu_energy_rate"), one(500)},
		"reserved memory is in the whole": {join(join(mig("DCGM_FI_DEV_FB_USED", "70000x60", "70000x60"), mig("DCGM_FI_DEV_FB_FREE", "10000x60", "10000x60")), mig("DCGM_FI_DEV_FB_RESERVED", "1000x60", "1000x60")),
			ask("gpu_memory_usage"), one(70.0 / 81)},
		"older exporters know no reserved memory": {join(mig("DCGM_FI_DEV_FB_USED", "70000x60", "70000x60"), mig("DCGM_FI_DEV_FB_FREE", "10000x60", "10000x60")),
			ask("gpu_memory_usage"), one(70.0 / 80)},
		// Held down for half of each second on one of two GPUs.
		"nanoseconds held down are a share of time": {mig("DCGM_FI_DEV_POWER_VIOLATION", "0+500000000x60", "0x60"), ask("gpu_power_violation_rate", windowed), one(0.25)},
		"an XID code is shown for each GPU and not added": {mig("DCGM_FI_DEV_XID_ERRORS", "79x60", "31x60"), ask("gpu_last_xid_raw"),
			map[string]float64{`{gpu="0", gpu_host="n1", system="dcgm"}`: 79, `{gpu="1", gpu_host="n1", system="dcgm"}`: 31}},
		"a code that changes is no rate": {`DCGM_FI_DEV_XID_ERRORS{gpu="0",Hostname="n1"} 0x20 79x20 31x20`, ask("gpu_last_xid_raw"),
			map[string]float64{`{gpu="0", gpu_host="n1", system="dcgm"}`: 31}},
		"the counter of XID events by code": {`DCGM_EXP_XID_ERRORS_TOTAL{gpu="0",UUID="GPU-0",xid="79"} 0+2x60
  DCGM_EXP_XID_ERRORS_TOTAL{gpu="0",UUID="GPU-0",xid="31"} 0+1x60`, ask("xid_error_rate", by("xid")),
			map[string]float64{`{system="dcgm", xid="79"}`: 2, `{system="dcgm", xid="31"}`: 1}},
		"the older gauge of XID events is not rated": {`DCGM_EXP_XID_ERRORS_COUNT{gpu="0",UUID="GPU-0",xid="79"} 3x60`, ask("xid_errors_in_window_raw"), one(3)},
		"the bit mask of the older name": {`DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu="0",Hostname="n1"} 36x60`, ask("gpu_clock_event_reasons_raw"),
			map[string]float64{`{gpu="0", gpu_host="n1", system="dcgm"}`: 36}},
		"4000 tok/s on two GPUs": {join(mig("DCGM_FI_DEV_GPU_UTIL", "90x60", "80x60"), `vllm:generation_tokens_total{instance="decode-0:8000",model_name="m",engine="0"} 0+4000x60`),
			ask("decode_tokens_per_gpu", of("vllm")), map[string]float64{`{system="dcgm"}`: 2000}},
		"no GPU, no tokens per GPU": {`vllm:generation_tokens_total{instance="decode-0:8000",model_name="m",engine="0"} 0+4000x60`,
			ask("decode_tokens_per_gpu", of("vllm")), map[string]float64{}},
		"tokens per GPU of decode alone": {join(mig("DCGM_FI_DEV_GPU_UTIL", "90x60", "80x60"), `vllm:generation_tokens_total{instance="decode-0:8000",engine="0"} 0+4000x60
  vllm:generation_tokens_total{instance="prefill-0:8000",engine="0"} 0+10x60`),
			ask("decode_tokens_per_gpu", of("vllm"), perRole, on(query.RoleDecode)), map[string]float64{`{role="decode", system="dcgm"}`: 2000}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { values(t, test.lines, test.ask, time.Minute, test.want) })
	}
}

// A rate of a rate is 0 while the load is steady and noise while it is not.
func TestARateThatIsAGaugeIsNotRatedAgain(t *testing.T) {
	series := "load 1s\n  " + `DCGM_FI_PROF_NVLINK_TX_BYTES{gpu="0",UUID="a"} 200000000000x60
  DCGM_FI_PROF_NVLINK_TX_BYTES{gpu="1",UUID="b"} 100000000000x60`
	values(t, series[len("load 1s\n  "):], ask("gpu_nvlink_transmit_bandwidth"), time.Minute, map[string]float64{`{system="dcgm"}`: 3e11})
	for _, signal := range []string{"gpu_pcie_transmit_bandwidth", "gpu_pcie_receive_bandwidth", "gpu_nvlink_transmit_bandwidth", "gpu_nvlink_receive_bandwidth", "gpu_last_xid_raw", "gpu_clock_event_reasons_raw"} {
		require.NotContains(t, only(t, ask(signal)), "rate(", signal)
	}
}

// DCGM is scraped less often than engines are; its counters need a window that holds
// two of its own samples, and the engines' curves keep theirs.
func TestTheWindowOfAGPUIsThatOfItsExporter(t *testing.T) {
	d := exporting("vllm:generation_tokens_total")
	slow := d.Systems["dcgm"]
	slow.ScrapeInterval = 15 * time.Second
	d.Systems["dcgm"] = slow
	detected := func(r *compile.Request) { r.Deployment, r.Options.ScrapeInterval = d, 0 }
	require.Contains(t, only(t, ask("gpu_energy_rate", detected)), "TOTAL_ENERGY_CONSUMPTION[1m]")
	require.Contains(t, only(t, ask("decode_token_rate", of("vllm"), detected)), "generation_tokens_total[4s]")
}

// Prefill, decode and unified engines at once: each role over all GPUs.
func TestTokensPerGPUWhereRolesAreMixed(t *testing.T) {
	d := server("sglang", deployment.RoleByLabel, "sglang:realtime_tokens_total", "DCGM_FI_DEV_GPU_UTIL")
	d.Systems["sglang"].Instances[query.RoleUnified] = 1
	p := planned(t, ask("decode_tokens_per_gpu", holding(d)))
	count := ` / (count(max ` + oneGPU + ` (DCGM_FI_DEV_GPU_UTIL)) > 0)`
	require.Equal(t, []string{
		`dcgm/decode: sum(avg ` + noRanks + ` (rate(sglang:realtime_tokens_total{engine_type="decode",mode="decode"}[4s])))` + count,
		`dcgm/unified: sum(avg ` + noRanks + ` (rate(sglang:realtime_tokens_total{engine_type="unified",mode="decode"}[4s])))` + count,
	}, promqls(p))
}

// Labels of Kubernetes may be anyone's: DCGM's copies of them must not keep a filter
// from the engines.
func TestPodsOfGPUsLeaveThePodsOfEnginesAlone(t *testing.T) {
	require.Equal(t, `sum by (pod) (vllm:num_requests_running{pod="a"})`,
		only(t, ask("requests_running", of("vllm"), by("pod"), where("pod", query.OpEqual, "a"))))
	require.Equal(t, `sum by (exported_pod) (max without (GPU_I_ID, GPU_I_PROFILE, container, exported_container, exported_namespace, namespace, pod) (DCGM_FI_DEV_POWER_USAGE))`,
		only(t, ask("gpu_power", by("pod"))))
}

// The page of an idle L4 with the default counters.
func TestThePageOfAnIdleGPU(t *testing.T) {
	const name = "dcgm-exporter-l4-default-counters.prom"
	for signal, want := range map[string]float64{
		"gpu_power": 16.365, "gpu_utilization": 0, "gpu_engine_active": 0, "gpu_tensor_active": 0, "gpu_dram_active": 0,
		"gpu_memory_used": 0, "gpu_memory_free": 22563 * 1048576, "gpu_memory_reserved": 470 * 1048576, "gpu_memory_usage": 0,
		"gpu_sm_clock": 210e6, "gpu_memory_clock": 405e6, "gpu_temperature": 31, "gpu_memory_temperature": 0,
		"gpu_pcie_transmit_bandwidth": 112603, "gpu_pcie_receive_bandwidth": 17544, "gpu_pcie_replay_rate": 0,
		"gpu_energy_rate": 4742.776, "gpu_row_remap_failures": 0, "gpu_uncorrectable_remapped_rows": 0,
	} {
		t.Run(signal, func(t *testing.T) {
			got := answers(t, page(t, name), planned(t, ask(signal)), minute)
			require.Len(t, got, 1)
			require.InDelta(t, want, got[`{system="dcgm"}`], 1e-9*max(1, want))
		})
	}
	for _, absent := range []string{"gpu_sm_active", "gpu_sm_occupancy", "gpu_nvlink_transmit_bandwidth", "gpu_clock_event_reasons_raw", "gpu_last_xid_raw", "xid_error_rate"} {
		t.Run("no "+absent, func(t *testing.T) {
			require.Empty(t, answers(t, page(t, name), planned(t, ask(absent)), minute))
		})
	}
}
