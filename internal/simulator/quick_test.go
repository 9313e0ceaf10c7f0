package simulator

import (
	"os"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	s, err := New(DefaultCluster(), time.Unix(1700000000, 0))
	if err != nil {
		t.Fatal(err)
	}
	b := time.Now()
	s.AdvanceTo(120 * time.Second)
	t.Log("advance", time.Since(b))
	for _, tg := range s.Targets() {
		f, _ := os.Create("/tmp/page-" + tg.Name)
		b := time.Now()
		if err := s.Write(f, tg, 120*time.Second); err != nil {
			t.Fatal(err)
		}
		t.Log(tg, time.Since(b))
	}
	tr := s.Truth()
	for _, g := range DefaultCluster().Groups {
		for _, e := range []Event{Arrivals, PrefillCompleted, KVTransfers, DecodeCompleted, OutputTokens, Aborts, Preemptions, BootstrapFailures} {
			t.Log(g.Name, e, tr.Rate(e, Selector{Model: g.Model}, 0, 10*time.Second), tr.Rate(e, Selector{Model: g.Model}, 10*time.Second, 120*time.Second))
		}
		for _, m := range []Measure{TTFT, ITL, E2E, QueueTime, PrefillTime, KVTransferLatency} {
			for _, r := range []Role{Prefill, Decode} {
				x := tr.Samples(m, Selector{Model: g.Model, Role: r}, 10*time.Second, 120*time.Second)
				t.Log(g.Name, m, r, len(x), Quantile(.5, x), Quantile(.99, x), Quantile(1, x))
			}
		}
		for _, r := range []Role{Prefill, Decode} {
			t.Log(r, tr.KVUsage(Selector{Model: g.Model, Role: r}, 60*time.Second), tr.At(Running, Selector{Model: g.Model, Role: r}, 60*time.Second), tr.At(Waiting, Selector{Model: g.Model, Role: r}, 60*time.Second))
		}
	}
}
