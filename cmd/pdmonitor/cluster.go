package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// clusterFlag is the description of the simulated cluster.
type clusterFlag struct{ file string }

func (f *clusterFlag) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "cluster", "", "`file` that describes the cluster in YAML; the built-in one has vLLM 2P3D, SGLang TP 4 and SGLang DP attention")
}

func (f *clusterFlag) load() (simulator.Cluster, error) {
	if f.file == "" {
		return simulator.DefaultCluster(), nil
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
