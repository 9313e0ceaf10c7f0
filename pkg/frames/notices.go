package frames

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Custom is what frames carry for programs beside what Grafana shows.
type Custom struct {
	// NoticeCodes are those of the frame's notices, in their order.
	NoticeCodes []string `json:"noticeCodes"`
}

// say puts notices on a frame in a language, each once, before those that it has.
func say(meta *data.FrameMeta, language string, lists ...[]query.Notice) {
	said := map[query.Notice]bool{}
	var texts []data.Notice
	var codes []string
	for _, n := range slices.Concat(lists...) {
		if !said[n] {
			said[n] = true
			codes = append(codes, n.Code)
			texts = append(texts, data.Notice{Severity: severity(n.Severity), Text: n.In(language).Text})
		}
	}
	before, _ := meta.Custom.(Custom)
	codes = append(codes, before.NoticeCodes...)
	meta.Notices = append(texts, meta.Notices...)
	if slices.ContainsFunc(codes, func(code string) bool { return code != "" }) {
		meta.Custom = Custom{NoticeCodes: codes}
	}
}

// Say puts a notice on a frame in a language.
func Say(frame *data.Frame, language string, n query.Notice) {
	say(frame.Meta, language, []query.Notice{n})
}

// Said are the notices of a frame.
func Said(frame *data.Frame) []query.Notice {
	if frame.Meta == nil {
		return nil
	}
	custom, _ := frame.Meta.Custom.(Custom)
	said := make([]query.Notice, len(frame.Meta.Notices))
	for i, n := range frame.Meta.Notices {
		said[i] = query.Notice{Severity: query.SeverityInfo, Text: n.Text}
		switch n.Severity {
		case data.NoticeSeverityWarning:
			said[i].Severity = query.SeverityWarning
		case data.NoticeSeverityError:
			said[i].Severity = query.SeverityError
		}
		if i < len(custom.NoticeCodes) {
			said[i].Code = custom.NoticeCodes[i]
		}
	}
	return said
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
		n := notice.OfServer.Of(text)
		if !strings.HasPrefix(text, "PromQL info: ") {
			n = n.As(notice.Warning)
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
		list = append(list, notice.FirstBucket.Of(title, measured(bounds.First, plan.Unit)))
	}
	if last {
		list = append(list, notice.LastBucket.Of(title, measured(bounds.Last, plan.Unit)))
	}
	if lower, upper, ok := oneBucket(bounds.Ends, values); ok && !first && !last {
		list = append(list, notice.OneBucket.Of(title, measured(lower, plan.Unit), measured(upper, plan.Unit)))
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
