package grafana

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// HomeVariable names the home of the Grafana to start where none is asked for.
const HomeVariable = "GRAFANA_HOME"

// Home checks that a directory is one of Grafana's.
func Home(dir string) error {
	for _, part := range []string{filepath.Join("bin", "grafana"), "public"} {
		if _, err := os.Stat(filepath.Join(dir, part)); err != nil {
			return fmt.Errorf("%s: no %s in it: give the directory of an unpacked Grafana", dir, part)
		}
	}
	return nil
}

// Find is the home of the Grafana that the environment names, else of an installed
// one, else "".
func Find() (string, error) {
	if home := os.Getenv(HomeVariable); home != "" {
		if err := Home(home); err != nil {
			return "", fmt.Errorf("%s: %w", HomeVariable, err)
		}
		return filepath.Abs(home)
	}
	var candidates []string
	if path, err := exec.LookPath("grafana"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			candidates = append(candidates, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, home := range append(candidates, "/usr/share/grafana") {
		if Home(home) == nil {
			return home, nil
		}
	}
	return "", nil
}
