package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
)

// NPM asks npm's registry about what the front end is made of. The error names the
// grave faults that an update mends. Those without one are only told: most lie in
// what Grafana's packages need, which the bundle does not hold.
func NPM(ctx context.Context, out io.Writer) error {
	// It ends with an error when it finds something, as when it cannot ask; the text tells.
	text, ran := exec.CommandContext(ctx, "npm", "audit", "--omit=dev", "--json").Output()
	r, err := read(text)
	if len(text) == 0 {
		err = ran
	}
	if err != nil {
		_, err = fmt.Fprintf(out, "The npm packages were not audited: %v\n", err)
		return err
	}
	if _, err := fmt.Fprintf(out, "npm audit: %d packages with known faults\n", len(r.Vulnerabilities)); err != nil {
		return err
	}
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(r.Vulnerabilities)) {
		p := r.Vulnerabilities[name]
		if p.grave() && p.mended() {
			failed = append(failed, fmt.Errorf("%s: %s, mended by npm audit fix", name, p.Severity))
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", name, p.Severity); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// answer is what npm prints of an audit.
type answer struct {
	Version         int                       `json:"auditReportVersion"`
	Vulnerabilities map[string]vulnerablePart `json:"vulnerabilities"`
	Message         string                    `json:"message"` // why there is none
}

type vulnerablePart struct {
	Severity string `json:"severity"`
	// Fix is false for none, true, or an object for one that changes package.json.
	Fix json.RawMessage `json:"fixAvailable"`
}

func (p vulnerablePart) grave() bool  { return p.Severity == "high" || p.Severity == "critical" }
func (p vulnerablePart) mended() bool { return string(p.Fix) == "true" }

// read tells an audit from the reason why there is none.
func read(text []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return answer{}, fmt.Errorf("npm audit printed no JSON: %w", err)
	}
	if a.Version == 0 {
		return answer{}, fmt.Errorf("the registry does not answer: %s", a.Message)
	}
	return a, nil
}
