package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"golang.org/x/sync/errgroup"

	"github.com/ptd-monitor/pdmonitor/internal/host"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

const (
	// panelsAtOnce is how many requests a browser has open to one host.
	panelsAtOnce = 6
	// One refresh in leavesEvery is given up by its viewer after leavesAfter.
	leavesEvery = 10
	leavesAfter = 5 * time.Millisecond
)

// board is a dashboard that several viewers have open.
type board struct {
	plugin *host.Plugin
	about  backend.PluginContext
	panels [][]query.Query
	log    *log
	// rest is held by each refresh, and by who wants none to run.
	rest sync.RWMutex
}

// request is what Grafana sends for one panel of a viewer who is logged in.
func (b *board) request(viewer int, panel []query.Query, from, to time.Time) (*backend.QueryDataRequest, error) {
	r := &backend.QueryDataRequest{PluginContext: b.about, Headers: map[string]string{}}
	host.LogIn(r, fmt.Sprintf("user:%d", viewer), to)
	for i, q := range panel {
		text, err := json.Marshal(q)
		if err != nil {
			return nil, fmt.Errorf("soak: a query of the dashboard: %w", err)
		}
		r.Queries = append(r.Queries, backend.DataQuery{
			RefID: string(rune('A' + i)), JSON: text, Interval: refresh, MaxDataPoints: 1000,
			TimeRange: backend.TimeRange{From: from, To: to},
		})
	}
	return r, nil
}

// first draws one panel; the error tells why nothing was drawn.
func (b *board) first(ctx context.Context) error {
	r, err := b.request(0, b.panels[0], time.Now().Add(-span), time.Now())
	if err != nil {
		return err
	}
	answer, err := b.plugin.QueryData(ctx, r)
	if err != nil {
		return fmt.Errorf("soak: the plugin does not answer: %w", err)
	}
	if err := failed(answer); err != nil {
		return fmt.Errorf("soak: the first panel: %w", err)
	}
	if len(drawn(answer)) == 0 {
		return errors.New("soak: the first panel shows nothing")
	}
	return nil
}

// view refreshes until the end. A refresh that takes longer than its turn delays the
// next, as in a browser.
func (b *board) view(ctx context.Context, viewer int) {
	ticks := time.NewTicker(refresh)
	defer ticks.Stop()
	for n := viewer; ctx.Err() == nil; n++ {
		b.rest.RLock()
		if n%leavesEvery == 0 {
			b.leave(ctx, viewer)
		} else {
			b.refresh(ctx, viewer)
		}
		b.rest.RUnlock()
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
}

// refresh asks for all panels, and notes how that went unless the end came first.
func (b *board) refresh(ctx context.Context, viewer int) {
	began := time.Now()
	failed := b.ask(ctx, viewer, began)
	if ctx.Err() == nil {
		b.log.refreshed(began, failed)
	}
}

// leave opens the dashboard and closes it again before it is drawn.
func (b *board) leave(ctx context.Context, viewer int) {
	short, cancel := context.WithTimeout(ctx, leavesAfter)
	defer cancel()
	_ = b.ask(short, viewer, time.Now()) // nobody sees what comes
	b.log.left()
}

// ask gives the failures of one refresh of all panels. Frames are not unpacked: that
// is the browser's work.
func (b *board) ask(ctx context.Context, viewer int, at time.Time) []failure {
	found := make([][]failure, len(b.panels))
	var running errgroup.Group
	running.SetLimit(panelsAtOnce)
	for i, panel := range b.panels {
		running.Go(func() error {
			r, err := b.request(viewer, panel, at.Add(-span), at)
			if err != nil {
				return err
			}
			answer, err := b.plugin.DataClient.QueryData(ctx, backend.ToProto().QueryDataRequest(r))
			if err != nil {
				return err
			}
			for _, one := range answer.GetResponses() {
				if one.GetError() != "" {
					found[i] = append(found[i], failure{text: one.GetError(), status: one.GetStatus(), source: backend.ErrorSource(one.GetErrorSource())})
				}
			}
			return nil
		})
	}
	var all []failure
	if err := running.Wait(); err != nil {
		all = append(all, failure{text: err.Error(), source: backend.ErrorSourcePlugin})
	}
	for _, some := range found {
		all = append(all, some...)
	}
	return all
}
