//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// Files renders every dashboard, by file name.
func Files() (map[string][]byte, error) {
	signals, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	made := map[string]func(*catalog.Catalog) (dashboard.Dashboard, error){
		"pd-overview.json": overview,
	}
	files := map[string][]byte{}
	for name, build := range made {
		board, err := build(signals)
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", name, err)
		}
		text, err := json.MarshalIndent(board, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", name, err)
		}
		files[name] = append(text, '\n')
	}
	return files, nil
}

// Write renders every dashboard into a directory.
func Write(dir string) error {
	files, err := Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
