package bench

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// History is how much past a loaded server holds, one sample a second.
const History = 5 * time.Minute

// Cluster is what a server is loaded with.
type Cluster string

const (
	// Small is the simulator's default cluster, replayed.
	Small Cluster = "small"
	// Large is 64 prefill and 128 decode engines of 8 ranks with 20 buckets each.
	// Its series are written directly: their number matters and not what they mean.
	Large Cluster = "large"
)

// Load fills a server with a past that ends when it is called, and returns that end.
func (c Cluster) Load(ctx context.Context, server *promserver.Server) (time.Time, error) {
	start := time.Now().Add(-History).Truncate(time.Second)
	switch c {
	case Small:
		simulation, err := simulator.New(simulator.DefaultCluster(), time.Now())
		if err != nil {
			return time.Time{}, err
		}
		return start.Add(History), simulation.Replay(ctx, server, start, History, time.Second)
	case Large:
		return start.Add(History), loadLarge(ctx, server, start)
	default:
		return time.Time{}, fmt.Errorf("cluster %q is not known: use %s or %s", c, Small, Large)
	}
}

const (
	largePrefill, largeDecode = 64, 128
	largeRanks                = 8
	largeBuckets              = 20
)

func loadLarge(ctx context.Context, server *promserver.Server, start time.Time) error {
	for i := range largePrefill + largeDecode {
		role, number := "prefill", i
		if i >= largePrefill {
			role, number = "decode", i-largePrefill
		}
		engine := newEngine(role)
		target := map[string]string{"instance": fmt.Sprintf("%s-%d:30000", role, number), "job": "sglang"}
		for second := range int(History/time.Second) + 1 {
			page := engine.page(i, second)
			if err := server.AppendText(ctx, page, target, start.Add(time.Duration(second)*time.Second)); err != nil {
				return fmt.Errorf("load the large cluster: %w", err)
			}
		}
	}
	return nil
}

// engine writes the pages of one engine. The lines' beginnings never change.
type engine struct {
	lines  []line
	buffer []byte
}

// line is a series; its value grows by about rate a second, or stays around it.
type line struct {
	head    string
	rate    float64
	counter bool
}

func newEngine(role string) *engine {
	e := &engine{}
	labels := fmt.Sprintf(`model_name="meta-llama/Llama-3.1-70B-Instruct",engine_type=%q,pp_rank="0"`, role)
	add := func(counter bool, rate float64, name, more string) {
		e.lines = append(e.lines, line{head: fmt.Sprintf("sglang:%s{%s%s} ", name, labels, more), rate: rate, counter: counter})
	}
	add(true, 3, "num_requests_total", "")
	for rank := range largeRanks {
		ranked := fmt.Sprintf(`,tp_rank="%d"`, rank)
		add(false, 40, "num_running_reqs", ranked)
		add(false, 5, "num_queue_reqs", ranked)
		add(true, 977, "realtime_tokens_total", ranked+`,mode="decode"`)
		for bucket := range largeBuckets {
			bound := strconv.FormatFloat(math.Ldexp(0.001, bucket), 'g', -1, 64)
			if bucket == largeBuckets-1 {
				bound = "+Inf"
			}
			add(true, 3*float64(bucket+1)/largeBuckets, "queue_time_seconds_bucket", fmt.Sprintf(`%s,le=%q`, ranked, bound))
		}
		add(true, 0.7, "queue_time_seconds_sum", ranked)
		add(true, 3, "queue_time_seconds_count", ranked)
	}
	return e
}

func (e *engine) page(number, second int) []byte {
	e.buffer = e.buffer[:0]
	for i, l := range e.lines {
		// Something between 0 and 1 that differs by series and second.
		_, noise := math.Modf(math.Abs(math.Sin(float64(number*1000+i)+float64(second)*1.7)) * 97)
		value := l.rate * (0.5 + noise)
		if l.counter {
			value = l.rate * (float64(second) + 0.5*noise)
		}
		e.buffer = append(e.buffer, l.head...)
		e.buffer = strconv.AppendFloat(e.buffer, math.Round(value*1000)/1000, 'f', -1, 64)
		e.buffer = append(e.buffer, '\n')
	}
	return e.buffer
}
