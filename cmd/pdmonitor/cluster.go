package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// clusterFlag says which cluster is simulated.
type clusterFlag struct{ file, scenario string }

func (f *clusterFlag) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "cluster", "", "`file` that describes the cluster in YAML, in place of a scenario")
	var names []string
	for _, s := range simulator.Scenarios() {
		names = append(names, s.Name)
	}
	cmd.Flags().StringVar(&f.scenario, "scenario", simulator.Healthy, "`fault` to simulate, as listed above: "+strings.Join(names, ", "))
	cmd.MarkFlagsMutuallyExclusive("cluster", "scenario")
}

// scenarios is the part of a command's help that says what happens in which scenario, and
// when: a fault that comes after minutes would otherwise be taken for none.
func scenarios() string {
	var text strings.Builder
	_, _ = fmt.Fprint(&text, "Scenarios, the fault being there from the start unless a time since then is given:\n")
	for _, s := range simulator.Scenarios() {
		_, _ = fmt.Fprintf(&text, "  %-23s %s\n", s.Name, s.About)
		if when := s.When(); when != "" {
			_, _ = fmt.Fprintf(&text, "  %-23s %s\n", "", when)
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func (f *clusterFlag) load(cmd *cobra.Command) (simulator.Cluster, error) {
	if f.file == "" {
		scenario, err := simulator.ScenarioNamed(f.scenario)
		if err != nil {
			return simulator.Cluster{}, &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("--scenario: %w", err)}
		}
		return scenario.Cluster, nil
	}
	text, err := os.ReadFile(f.file)
	if err != nil {
		return simulator.Cluster{}, fmt.Errorf("--cluster: %w", err)
	}
	cluster, err := simulator.Parse(text)
	if err != nil {
		return simulator.Cluster{}, fmt.Errorf("--cluster %s: %w", f.file, err)
	}
	return cluster, nil
}
