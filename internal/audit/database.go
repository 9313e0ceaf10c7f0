package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// database is where govulncheck reads known faults: the Go project's own server, or
// the copy of it that the module proxy has. The error says why there is neither.
func database(ctx context.Context) (string, error) {
	const server = "https://vuln.go.dev"
	if own := os.Getenv("GOVULNDB"); own != "" {
		return own, nil
	}
	refused := answers(ctx, server+"/index/db.json")
	if refused == nil {
		return server, nil
	}
	dir, err := downloaded(ctx, "golang.org/x/vulndb@latest")
	if err != nil {
		return "", errors.Join(refused, err)
	}
	return "file://" + filepath.ToSlash(filepath.Join(dir, "data", "osv")), nil
}

// answers is nil where a server gives what it is asked for.
func answers(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return nil
}

// downloaded is the folder of a module. It is no dependency, so go.mod stays as it is.
func downloaded(ctx context.Context, module string) (string, error) {
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	download.Dir = os.TempDir()
	out, err := download.Output()
	if err != nil {
		return "", fmt.Errorf("download %s: %w\n%s", module, err, bytes.TrimSpace(out))
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return m.Dir, nil
}
