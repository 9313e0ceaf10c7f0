package frames

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// notices joins lists for Grafana and leaves out what was said before.
func notices(lists ...[]query.Notice) []data.Notice {
	var all []data.Notice
	said := map[query.Notice]bool{}
	for _, list := range lists {
		for _, n := range list {
			if !said[n] {
				said[n] = true
				all = append(all, data.Notice{Severity: severity(n.Severity), Text: n.Text})
			}
		}
	}
	return all
}

func severity(s query.Severity) data.NoticeSeverity {
	switch s {
	case query.SeverityError:
		return data.NoticeSeverityError
	case query.SeverityWarning:
		return data.NoticeSeverityWarning
	default:
		return data.NoticeSeverityInfo
	}
}

// serverNotices passes on what the server remarked, except that a metric might be
// no counter where it is known to be one: engines name many counters without _total.
func serverNotices(warnings []string, isCounter func(string) bool) []query.Notice {
	nonCounter := regexp.MustCompile(`metric might not be a counter, name does not end in [^"]*("(?:[^"\\]|\\.)*")`)
	var list []query.Notice
	for _, text := range warnings {
		if match := nonCounter.FindStringSubmatch(text); match != nil && isCounter != nil {
			if name, err := strconv.Unquote(match[1]); err == nil && isCounter(name) {
				continue
			}
		}
		n := query.Notice{Severity: query.SeverityWarning, Text: text}
		if strings.HasPrefix(text, "PromQL info: ") {
			n.Severity = query.SeverityInfo
		}
		list = append(list, n)
	}
	return list
}

// boundNotices says where quantiles are only bounds: within the first bucket the
// server interpolates from 0, and beyond the last finite one it answers with that
// bucket's end. The texts hold no counts, so that equal ones of many series are
// shown once.
func boundNotices(plan compile.Plan, bounds *compile.Bounds, values []float64) []query.Notice {
	if bounds == nil {
		return nil
	}
	const tolerance = 1e-9 // relative; scaling to the plan's unit costs some bits
	var first, last bool
	for _, v := range values {
		switch {
		case v >= bounds.Last-tolerance*math.Abs(bounds.Last):
			last = true
		case v <= bounds.First+tolerance*math.Abs(bounds.First):
			first = true
		}
	}
	title := plan.Title
	if title == "" {
		title = "The quantile"
	}
	var list []query.Notice
	if first {
		list = append(list, query.Notice{Severity: query.SeverityWarning,
			Text: title + " lies in the first bucket (≤ " + measured(bounds.First, plan.Unit) + ") at times: there it is only an upper bound."})
	}
	if last {
		list = append(list, query.Notice{Severity: query.SeverityWarning,
			Text: title + " sits on the last finite bucket (" + measured(bounds.Last, plan.Unit) + ") at times: there the true value is higher."})
	}
	if lower, upper, ok := oneBucket(bounds.Ends, values); ok && !first && !last {
		list = append(list, query.Notice{Severity: query.SeverityInfo,
			Text: title + " stays within one bucket (" + measured(lower, plan.Unit) + " to " + measured(upper, plan.Unit) + "): where in it is interpolated, not measured."})
	}
	return list
}

// wide is how many times its start the end of a bucket is where values within say little.
const wide = 1.5

// oneBucket is the wide bucket that holds all values, if one does.
func oneBucket(ends, values []float64) (lower, upper float64, ok bool) {
	if len(ends) == 0 || len(values) == 0 {
		return 0, 0, false
	}
	i, _ := slices.BinarySearch(ends, slices.Max(values))
	if i == 0 || i == len(ends) || slices.Min(values) <= ends[i-1] || ends[i] < wide*ends[i-1] {
		return 0, 0, false
	}
	return ends[i-1], ends[i], true
}
