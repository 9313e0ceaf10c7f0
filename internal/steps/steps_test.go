package steps_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/steps"
)

func saying(name string, err error, after ...string) steps.Step {
	return steps.Step{Name: name, After: after, Run: func(_ context.Context, out io.Writer) error {
		_, _ = fmt.Fprintln(out, name, "speaks")
		return err
	}}
}

func TestStepsRunInOrderWhereOneRunsAtOnce(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, steps.Run(t.Context(), &out, 1, saying("first", nil), saying("second", nil), saying("third", nil, "first")))
	require.Regexp(t, `(?s)== first.*first speaks.*== second.*second speaks.*== third.*third speaks.*== all.*ok +\S+  first\nok +\S+  second\nok +\S+  third\n$`, out.String())
}

func TestTheOthersGoOnAfterAFailure(t *testing.T) {
	var out bytes.Buffer
	err := steps.Run(t.Context(), &out, 1,
		saying("bad", errors.New("broken")), saying("needs it", nil, "bad"), saying("needs that", nil, "needs it"), saying("good", nil))
	require.EqualError(t, err, "bad: broken\nneeds it: not run: bad failed\nneeds that: not run: needs it failed")
	require.Contains(t, out.String(), "FAILED: bad: broken")
	require.Contains(t, out.String(), "good speaks")
	require.NotContains(t, out.String(), "needs it speaks")
	require.Regexp(t, `not run +0s  needs it`, out.String())
}

func TestAsManyRunAtOnceAsTold(t *testing.T) {
	var met sync.WaitGroup
	met.Add(2)
	meets := func(name string, after ...string) steps.Step {
		return steps.Step{Name: name, After: after, Run: func(context.Context, io.Writer) error {
			met.Done()
			met.Wait() // neither ends before both have begun
			return nil
		}}
	}
	// What waits does not keep others from running.
	require.NoError(t, steps.Run(t.Context(), io.Discard, 2, meets("one"), saying("later", nil, "one"), meets("two")))
}

func TestWhatOneStepSaysIsNotMixedWithAnother(t *testing.T) {
	var begun sync.WaitGroup
	begun.Add(2)
	slow := func(name string) steps.Step {
		return steps.Step{Name: name, Run: func(_ context.Context, out io.Writer) error {
			_, _ = fmt.Fprint(out, name, " begins, ")
			begun.Done()
			begun.Wait()
			_, err := fmt.Fprintln(out, name, "ends")
			return err
		}}
	}
	var out bytes.Buffer
	require.NoError(t, steps.Run(t.Context(), &out, 2, slow("a"), slow("b")))
	require.Contains(t, out.String(), "a begins, a ends\n")
	require.Contains(t, out.String(), "b begins, b ends\n")
}

func TestStepsThatCanNeverRunAreRefused(t *testing.T) {
	for want, list := range map[string][]steps.Step{
		"the step a is given twice":                                    {saying("a", nil), saying("a", nil)},
		"the step a comes after b, which is not before it in the list": {saying("a", nil, "b"), saying("b", nil)},
	} {
		require.EqualError(t, steps.Run(t.Context(), io.Discard, 1, list...), want)
	}
}
