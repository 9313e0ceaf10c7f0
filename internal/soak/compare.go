package soak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// settled is how old points are that no sample on its way can change.
const settled = 15 * time.Second

// compare asks for the dashboard as the viewers do and past all that is kept, and
// counts the points and those that differ.
func (b *board) compare(ctx context.Context) (count, different int, err error) {
	to := time.Now().Add(-settled)
	from := to.Add(settled - span + time.Minute) // within what is kept
	for _, panel := range b.panels {
		r, err := b.request(0, panel, from, to)
		if err != nil {
			return 0, 0, err
		}
		kept, err := b.plugin.QueryData(ctx, r)
		if err != nil {
			return 0, 0, fmt.Errorf("soak: compare: %w", err)
		}
		r.Headers["http_X-Cache-Skip"] = "true"
		direct, err := b.plugin.QueryData(ctx, r)
		if err != nil {
			return 0, 0, fmt.Errorf("soak: compare: %w", err)
		}
		if err := errors.Join(failed(kept), failed(direct)); err != nil {
			return 0, 0, fmt.Errorf("soak: compare: %w", err)
		}
		a, z := drawn(kept), drawn(direct)
		for at, v := range z {
			if w, ok := a[at]; !ok || math.Abs(v-w) > 1e-9*math.Max(math.Abs(v), math.Abs(w)) {
				different++
			}
		}
		for at := range a {
			if _, ok := z[at]; !ok {
				different++
			}
		}
		count += len(z)
	}
	return count, different, nil
}

// failed joins the errors of an answer.
func failed(answer *backend.QueryDataResponse) error {
	var errs []error
	for _, one := range answer.Responses {
		errs = append(errs, one.Error)
	}
	return errors.Join(errs...)
}

// drawn are the values of an answer by query, series, time and whatever else stands
// in the row.
func drawn(answer *backend.QueryDataResponse) map[string]float64 {
	values := map[string]float64{}
	for ref, one := range answer.Responses {
		for _, frame := range one.Frames {
			for row := range rows(frame) {
				where := fmt.Sprint(ref, frame.Name)
				for _, f := range frame.Fields {
					switch cell := f.At(row).(type) {
					case time.Time, string:
						where += fmt.Sprint(" ", cell)
					}
				}
				for _, f := range frame.Fields {
					switch v := f.At(row).(type) {
					case float64:
						values[fmt.Sprint(where, f.Name, f.Labels)] = v
					case *float64:
						if v != nil {
							values[fmt.Sprint(where, f.Name, f.Labels)] = *v
						}
					}
				}
			}
		}
	}
	return values
}

func rows(frame *data.Frame) int {
	if len(frame.Fields) == 0 {
		return 0
	}
	return frame.Fields[0].Len()
}
