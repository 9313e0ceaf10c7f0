package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// Go looks for known faults in the code that packages call. The error names those of
// modules that a newer version mends. The others are only told, and so are those of Go
// itself: the version of Go that a release is built with mends them.
func Go(ctx context.Context, out io.Writer, packages ...string) error {
	db, err := database(ctx)
	if err != nil {
		_, err = fmt.Fprintf(out, "The Go modules were not audited, because no database of known faults can be reached:\n%v\n", err)
		return err
	}
	scan := exec.CommandContext(ctx, "go", append([]string{"tool", "govulncheck", "-format", "json", "-db", db}, packages...)...)
	var errs bytes.Buffer
	scan.Stderr = &errs
	found, err := scan.Output()
	if err != nil {
		return fmt.Errorf("govulncheck: %w\n%s", err, bytes.TrimSpace(errs.Bytes()))
	}
	faults, err := called(bytes.NewReader(found))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "govulncheck of %s with %s\n", strings.Join(packages, " "), db); err != nil {
		return err
	}
	var failed []error
	for _, id := range slices.Sorted(maps.Keys(faults)) {
		f := faults[id]
		if f.mended() {
			failed = append(failed, fmt.Errorf("%s: %s", id, f))
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", id, f); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

const standardLibrary = "stdlib"

// fault is a known fault of a module that is called.
type fault struct{ Module, Version, Fixed, Package string }

// mended reports whether go get helps.
func (f fault) mended() bool { return f.Module != standardLibrary && f.Fixed != "" }

func (f fault) String() string {
	fixed := "no version without it"
	if f.Fixed != "" {
		fixed = "mended in " + f.Fixed
	}
	if f.Module == standardLibrary {
		return fmt.Sprintf("%s of Go %s, %s: build releases with that or a newer one", f.Package, strings.TrimPrefix(f.Version, "v"), strings.ReplaceAll(fixed, " v", " "))
	}
	return fmt.Sprintf("%s of %s %s, %s", f.Package, f.Module, f.Version, fixed)
}

// called reads govulncheck's messages and keeps the faults of functions that are
// called, by their id: those that are merely required or imported do no harm.
func called(messages io.Reader) (map[string]fault, error) {
	faults := map[string]fault{}
	decoder := json.NewDecoder(messages)
	for {
		var message struct {
			Finding *struct {
				OSV          string `json:"osv"`
				FixedVersion string `json:"fixed_version"`
				// Trace begins at the fault; its first frame has a function only where that is called.
				Trace []struct{ Module, Version, Package, Function string } `json:"trace"`
			} `json:"finding"`
		}
		err := decoder.Decode(&message)
		if errors.Is(err, io.EOF) {
			return faults, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read govulncheck's answer: %w", err)
		}
		if f := message.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			at := f.Trace[0]
			faults[f.OSV] = fault{Module: at.Module, Version: at.Version, Fixed: f.FixedVersion, Package: at.Package}
		}
	}
}
