package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// questions are asked of both clusters. The last is the matrix of about 10 MB on
// the large one.
func questions() []question {
	return []question{
		{"one curve", `sum by (model_name) (rate(sglang:num_requests_total[4s]))`, History},
		{"P99 of merged buckets", `histogram_quantile(0.99, sum by (model_name, le) (avg without (tp_rank) (rate(sglang:queue_time_seconds_bucket[30s]))))`, time.Minute},
		{"every engine's gauge", `max by (instance) (sglang:num_running_reqs)`, History},
		{"every rank's rate", `rate(sglang:realtime_tokens_total[4s])`, 4 * time.Minute},
	}
}

// Answers measures the questions on a loaded server, then the last of them from an
// answer that is already made, and returns the rows of a Markdown table.
func Answers(ctx context.Context, c Cluster, count int) (string, error) {
	server, err := Start(ctx, c)
	if err != nil {
		return "", err
	}
	table, err := answers(ctx, c, server, count)
	return table, errors.Join(err, server.Close())
}

func answers(ctx context.Context, c Cluster, server *Server, count int) (string, error) {
	all, err := contenders(server.URL)
	if err != nil {
		return "", err
	}
	end := server.End
	var rows strings.Builder
	for _, q := range questions() {
		medians, err := rounds(ctx, all, q, end, count)
		if err != nil {
			return "", err
		}
		before, err := CostAt(ctx, server.URL)
		if err != nil {
			return "", err
		}
		if _, err := all[2].answer(ctx, q, end); err != nil {
			return "", err
		}
		after, err := CostAt(ctx, server.URL)
		if err != nil {
			return "", err
		}
		rows.WriteString(row(string(c), q.name, medians, after.Sub(before)))
	}
	if c != Large {
		return rows.String(), nil
	}
	q := questions()[len(questions())-1]
	address, stop, err := canned(ctx, server.URL, q, end)
	if err != nil {
		return "", err
	}
	defer stop()
	if all, err = contenders(address); err != nil {
		return "", err
	}
	medians, err := rounds(ctx, all, q, end, count)
	if err != nil {
		return "", err
	}
	rows.WriteString(row(string(c), q.name+", recorded", medians, Cost{}))
	return rows.String(), nil
}

// head names the columns of the rows.
const head = "| cluster | question | answer | queries, samples | c/a time | b/a time | b/c time | b/c CPU | b/c bytes | b/c objects |\n|---|---|---|---|---|---|---|---|---|---|\n"

func row(cluster, name string, m map[string]spent, cost Cost) string {
	a, b, c := m["a"], m["b"], m["c"]
	counted := "none"
	if cost.Queries > 0 {
		counted = fmt.Sprintf("%.0f, %.0f", cost.Queries, cost.Samples)
	}
	return fmt.Sprintf("| %s | %s | %.2f MB | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", cluster, name, float64(a.seen)/1e6, counted,
		ratio(c.time, a.time), ratio(b.time, a.time), ratio(b.time, c.time), ratio(b.cpu, c.cpu), ratio(b.bytes, c.bytes), ratio(b.objects, c.objects))
}

func ratio[N time.Duration | uint64](a, b N) float64 { return float64(a) / float64(max(b, 1)) }
