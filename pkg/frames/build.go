// Package frames turns what a Prometheus answered into Grafana data frames: one
// frame for each series, with logical labels, units, display names, the query
// that ran and the notices that belong to it.
package frames

import (
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Answer is what one expression of a plan brought back.
type Answer struct {
	// Expression is the index in Plan.Expressions.
	Expression int
	// Value is a prom.Matrix, model.Vector, *model.Scalar or *model.String.
	Value model.Value
	// Warnings are the server's warnings and infos, as delivered.
	Warnings []string
}

// Options say how answers become frames.
type Options struct {
	// Step is the distance of points of a range query, 0 of an instant query.
	Step   time.Duration
	Format query.Format
	// SeriesLimit is the most series that are shown; 0 means all.
	SeriesLimit int
	// Empty says why there may be nothing, shown only when there is nothing;
	// without text there is no such notice.
	Empty query.Notice
	// Language is that of the reader as Grafana names it, "" for English.
	Language string
	// IsCounter reports whether a metric is known to be a counter although its
	// name does not say so, which silences the server's remark on it. May be nil.
	IsCounter func(metric string) bool
}

// Build makes the frames of a plan from the answers that came; expressions that
// failed have none. The order depends only on the plan and the labels. Frames of
// time series and numbers are one for each series; a table is one for all; a
// heatmap is one for all buckets of a histogram.
// Values that are no number and series without any are left out; when nothing is
// left, the answer is one frame without fields, so that it is typed, carries the
// query and counts as "no data" in alerts. The first frame carries the notices of
// the whole plan. An error means a fault of the caller.
func Build(plan compile.Plan, answers []Answer, opts Options) (data.Frames, error) {
	c := collector{plan: plan, isCounter: opts.IsCounter, language: opts.Language}
	for _, answer := range answers {
		if answer.Expression < 0 || answer.Expression >= len(plan.Expressions) {
			return nil, fmt.Errorf("build frames: the plan has no expression %d", answer.Expression)
		}
		if err := c.add(answer); err != nil {
			return nil, fmt.Errorf("build frames of expression %d: %w", answer.Expression, err)
		}
	}
	all := c.series
	if drawn := c.heatmaps(all, opts); len(drawn) > 0 {
		return c.said(drawn), nil
	}
	if distinguish(all) {
		c.notice(notice.BecameEqual)
	}
	sortSeries(all)
	all = c.limited(all, opts.SeriesLimit)
	nameSeries(plan, all)

	var frames data.Frames
	switch {
	case len(all) == 0:
		if opts.Empty.Text != "" {
			c.notices = append(c.notices, opts.Empty)
		}
		frames = data.Frames{emptyFrame(plan, opts)}
	case opts.Format == query.FormatTable:
		frames = data.Frames{tableFrame(plan, all, opts.Language)}
	default:
		times := axis{step: opts.Step}
		frames = make(data.Frames, 0, len(all))
		for _, s := range all {
			frames = append(frames, seriesFrame(plan, s, &times, opts.Language))
		}
	}
	return c.said(frames), nil
}

// said puts the notices of the whole plan on the first frame.
func (c *collector) said(frames data.Frames) data.Frames {
	say(frames[0].Meta, c.language, c.plan.Notices, c.notices, c.warnings)
	return frames
}
