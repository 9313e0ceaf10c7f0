package dashboards

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// Files renders every dashboard, by file name.
func Files() (map[string][]byte, error) {
	signals, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, b := range boards() {
		name := "pd-" + b.name + ".json"
		made, err := b.build(signals)
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", name, err)
		}
		text, err := json.MarshalIndent(made, "", "  ")
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
