package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
)

// Serve loads a server, prints its address and the end of its data as one line, and serves until standard
// input ends. It is what a process started by [Start] does.
func Serve(ctx context.Context, c Cluster, in io.Reader, out io.Writer) error {
	server, err := promserver.Start(ctx, promserver.Config{})
	if err != nil {
		return err
	}
	end, err := c.Load(ctx, server)
	if err == nil {
		_, err = fmt.Fprintln(out, server.URL(), end.Unix())
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	return errors.Join(err, server.Close())
}

// Server is a loaded Prometheus in a process of its own, so that what it allocates
// is not taken for its clients'.
type Server struct {
	// URL is its address.
	URL string
	// End is the time of its newest samples.
	End   time.Time
	child *exec.Cmd
	stdin io.Closer
}

// Start runs this program again as "serve CLUSTER" and waits until it answers.
func Start(ctx context.Context, c Cluster) (*Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	child := exec.CommandContext(ctx, self, "serve", string(c))
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	s := &Server{child: child, stdin: stdin}
	var seconds int64
	if _, err := fmt.Fscanln(stdout, &s.URL, &seconds); err != nil {
		return nil, errors.Join(fmt.Errorf("the server of the %s cluster gave no address: %w", c, err), s.Close())
	}
	s.End = time.Unix(seconds, 0)
	return s, nil
}

// Close ends the process.
func (s *Server) Close() error { return errors.Join(s.stdin.Close(), s.child.Wait()) }

// Cost is what a server counted.
type Cost struct{ Queries, Samples float64 }

// Sub is what was added since before.
func (c Cost) Sub(before Cost) Cost {
	return Cost{Queries: c.Queries - before.Queries, Samples: c.Samples - before.Samples}
}

// CostAt reads a Prometheus' own counters of the queries it ran and the samples it
// loaded for them.
func CostAt(ctx context.Context, address string) (Cost, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/metrics", nil)
	if err != nil {
		return Cost{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return Cost{}, fmt.Errorf("read the server's counters: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return Cost{}, fmt.Errorf("read the server's counters: %w", err)
	}
	cost := Cost{Samples: families["prometheus_engine_query_samples_total"].GetMetric()[0].GetCounter().GetValue()}
	for _, m := range families["prometheus_engine_query_duration_seconds"].GetMetric() {
		if len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == "inner_eval" {
			cost.Queries = float64(m.GetSummary().GetSampleCount())
		}
	}
	return cost, nil
}
