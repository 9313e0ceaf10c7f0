package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

func TestRulesAreLeftOutForWhatTheyLack(t *testing.T) {
	const drift = "PDRequestSizeDrift"
	for name, test := range map[string]struct {
		change  func(*rules.Source)
		leftOut bool // all that are about metrics
		unsized []string
	}{
		"sizes are set and no server is known":  {func(*rules.Source) {}, false, nil},
		"no sizes, and no server is known":      {func(s *rules.Source) { s.Options.Sizes = nil }, false, []string{drift}},
		"a server without metrics, sizes set":   {func(s *rules.Source) { s.Deployment = &deployment.Deployment{} }, true, nil},
		"a server without metrics and no sizes": {func(s *rules.Source) { s.Deployment, s.Options.Sizes = &deployment.Deployment{}, nil }, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(t, defaultCluster())
			test.change(&s)
			made, err := rules.Prometheus(rules.All(rules.DefaultTargets()), s)
			require.NoError(t, err)
			require.Equal(t, test.unsized, made.Unsized)
			if test.leftOut {
				require.Contains(t, made.LeftOut, drift, "nothing exports what is divided by the size")
				require.Contains(t, made.LeftOut, "PDGPUThrottled")
			} else {
				require.Empty(t, made.LeftOut)
			}
		})
	}
}
