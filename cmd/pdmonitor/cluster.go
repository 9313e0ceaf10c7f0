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
	cmd.Flags().StringVar(&f.scenario, "scenario", simulator.Healthy, "`fault` to simulate: "+strings.Join(names, ", "))
	cmd.MarkFlagsMutuallyExclusive("cluster", "scenario")
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
