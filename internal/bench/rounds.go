package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// spent is what one contender took for one question, the median of the rounds.
type spent struct {
	time    time.Duration
	cpu     time.Duration // of this process, without the server's
	bytes   uint64        // allocated
	objects uint64        // allocated
	seen    int
}

// rounds lets the contenders answer in turns, so that a busy machine slows all of
// them, and gives the medians by name.
func rounds(ctx context.Context, all []contender, q question, end time.Time, count int) (map[string]spent, error) {
	taken := map[string][]spent{}
	for round := range count + 1 {
		for _, c := range all {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			busy, began := cpu(), time.Now()
			seen, err := c.answer(ctx, q, end)
			took, worked := time.Since(began), cpu()-busy
			runtime.ReadMemStats(&after)
			if err != nil {
				return nil, fmt.Errorf("%s by contender %s: %w", q.name, c.name, err)
			}
			if round == 0 {
				continue // connections and caches are warm from the second on
			}
			taken[c.name] = append(taken[c.name], spent{took, worked, after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs, seen})
		}
	}
	medians := map[string]spent{}
	for name, list := range taken {
		medians[name] = spent{
			time:    median(list, func(s spent) time.Duration { return s.time }),
			cpu:     median(list, func(s spent) time.Duration { return s.cpu }),
			bytes:   median(list, func(s spent) uint64 { return s.bytes }),
			objects: median(list, func(s spent) uint64 { return s.objects }),
			seen:    list[0].seen,
		}
	}
	return medians, nil
}

func median[N time.Duration | uint64](list []spent, of func(spent) N) N {
	values := make([]N, len(list))
	for i, s := range list {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
