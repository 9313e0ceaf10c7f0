// Package steps runs the parts of a long target, several at once, and prints what
// each had to say whole when it ends.
package steps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Step is one part of a longer target.
type Step struct {
	Name string
	// After names the steps without which this one cannot run.
	After []string
	// Run does it and writes what there is to say.
	Run func(ctx context.Context, out io.Writer) error
}

// result is how a step ended.
type result struct {
	step Step
	said []byte
	took time.Duration
	err  error
}

// errNotRun is why a step was left out.
var errNotRun = errors.New("not run")

// Run runs all steps, in their order as far as that goes, with so many at once. It
// goes on after a failure, so that one run shows every fault; what comes after a
// failed step is not run. The error tells all that failed.
func Run(ctx context.Context, out io.Writer, atOnce int, all ...Step) error {
	if err := check(all); err != nil {
		return err
	}
	began, waiting, running := time.Now(), slices.Clone(all), 0
	ended, done := make(chan result), map[string]result{}
	for len(done) < len(all) {
		for i := 0; i < len(waiting) && running < atOnce; i++ {
			s := waiting[i]
			ready, missing := standing(s, done)
			if !ready {
				continue
			}
			waiting = slices.Delete(waiting, i, i+1)
			i = -1 // what a step left out stood in the way of may come before it
			if missing != "" {
				done[s.Name] = result{step: s, err: fmt.Errorf("%w: %s failed", errNotRun, missing)}
				continue
			}
			running++
			go func() { ended <- run(ctx, s) }()
		}
		if running == 0 {
			break
		}
		r := <-ended
		running--
		done[r.step.Name] = r
		if err := r.print(out); err != nil {
			return err
		}
	}
	return summary(out, all, done, time.Since(began))
}

// check refuses steps of which one would wait for ever.
func check(all []Step) error {
	known := map[string]bool{}
	for _, s := range all {
		if known[s.Name] {
			return fmt.Errorf("the step %s is given twice", s.Name)
		}
		for _, name := range s.After {
			if !known[name] {
				return fmt.Errorf("the step %s comes after %s, which is not before it in the list", s.Name, name)
			}
		}
		known[s.Name] = true
	}
	return nil
}

// standing tells whether all that a step comes after has ended, and which of it failed.
func standing(s Step, done map[string]result) (ready bool, failed string) {
	for _, name := range s.After {
		r, ok := done[name]
		if !ok {
			return false, ""
		}
		if r.err != nil {
			failed = name
		}
	}
	return true, failed
}

func run(ctx context.Context, s Step) result {
	var said bytes.Buffer
	began := time.Now()
	err := s.Run(ctx, &said)
	return result{s, said.Bytes(), time.Since(began), err}
}

func (r result) print(out io.Writer) error {
	text := strings.TrimRight(string(r.said), "\n")
	if text != "" {
		text += "\n"
	}
	if r.err != nil {
		text += fmt.Sprintf("FAILED: %s: %v\n", r.step.Name, r.err)
	}
	_, err := fmt.Fprintf(out, "\n== %s, %s\n%s", r.step.Name, rounded(r.took), text)
	return err
}

// summary lists the steps with their times and joins what failed.
func summary(out io.Writer, all []Step, done map[string]result, took time.Duration) error {
	var text strings.Builder
	var failed []error
	fmt.Fprintf(&text, "\n== all, %s\n", rounded(took))
	for _, s := range all {
		r, word := done[s.Name], "ok"
		if r.err != nil {
			word = "FAILED"
			failed = append(failed, fmt.Errorf("%s: %w", s.Name, r.err))
		}
		if errors.Is(r.err, errNotRun) {
			word = "not run"
		}
		fmt.Fprintf(&text, "%-8s %8s  %s\n", word, rounded(r.took), s.Name)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
