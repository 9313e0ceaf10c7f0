package simulator_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

var epoch = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)

// scraped is a parsed page.
type scraped []sample

type sample struct {
	labels labels.Labels
	value  float64
}

func newSimulation(t *testing.T, c simulator.Cluster) *simulator.Simulation {
	t.Helper()
	s, err := simulator.New(c, epoch)
	require.NoError(t, err)
	return s
}

// scrape takes the page of the instance of that name at a virtual time.
func scrape(t *testing.T, s *simulator.Simulation, instance string, at time.Duration) scraped {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, s.Write(&page, simulator.Target{Name: instance}, at))
	parser, err := textparse.New(page.Bytes(), "text/plain; version=0.0.4", nil, textparse.ParserOptions{})
	require.NoError(t, err)
	var all scraped
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if entry == textparse.EntrySeries {
			var l labels.Labels
			parser.Labels(&l)
			_, _, value := parser.Series()
			all = append(all, sample{l, value})
		}
	}
}

// of keeps the series of a name whose labels have the given values.
func (s scraped) of(name string, pairs ...string) scraped {
	var kept scraped
next:
	for _, x := range s {
		if x.labels.Get("__name__") != name {
			continue
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if x.labels.Get(pairs[i]) != pairs[i+1] {
				continue next
			}
		}
		kept = append(kept, x)
	}
	return kept
}

func (s scraped) sum() float64 {
	total := 0.0
	for _, x := range s {
		total += x.value
	}
	return total
}

// values lists the values of a label over the series.
func (s scraped) values(label string) []string {
	var list []string
	for _, x := range s {
		list = append(list, x.labels.Get(label))
	}
	return list
}

// group is a small description which tests change to their need.
func group(engine simulator.Engine) simulator.Group {
	return simulator.Group{
		Name: "g", Model: "org/Model-1.5B", Engine: engine,
		PrefillInstances: simulator.Instances{Count: 1, TP: 2},
		DecodeInstances:  simulator.Instances{Count: 1, TP: 2},
		RequestRate:      20,
		InputTokens:      simulator.Fixed(1000), OutputTokens: simulator.Range{Min: 10, Max: 30},
		PrefillTokensPerSecond: 10_000, InterTokenLatency: 10 * time.Millisecond,
		BytesPerRequest: 1_000_003, TransferBytesPerSecond: 50e6,
	}
}

func cluster(groups ...simulator.Group) simulator.Cluster {
	return simulator.Cluster{Seed: 7, Groups: groups}
}

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, with, 1)
}
