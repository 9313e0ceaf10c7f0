// Package edited finds what to check after an edit: the files that differ from the
// last commit, and the Go packages that they may break.
package edited

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files are those that differ from the last commit, new ones among them, by their path
// from the top of the repository. Those that were removed are among them too.
func Files(ctx context.Context, repository string) ([]string, error) {
	var all []string
	for _, args := range [][]string{
		{"diff", "--name-only", "--no-renames", "-z", "HEAD"},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir = repository
		names, err := git.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", args[0], err)
		}
		all = append(all, strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Package is a Go package of the project, as go list tells of it.
type Package struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

// Packages are all of the project.
func Packages(ctx context.Context, repository string) ([]Package, error) {
	list := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports", "./...")
	list.Dir = repository
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	top, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	var all []Package
	for decoder := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p Package
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Dir, err = filepath.Rel(top, p.Dir); err != nil {
			return nil, err
		}
		p.Dir = filepath.ToSlash(p.Dir)
		all = append(all, p)
	}
}

// Touched are directories of packages that an edit may break.
type Touched struct {
	// Own are the packages that the edited files belong to.
	Own []string
	// Near are these and those that import one of them, also if only their tests do.
	Near []string
	// All are these and those that import one through others.
	All []string
}

// Of tells what edited files touch. A file that is not Go's belongs to the package in
// whose folder it lies, however deep. What go.mod says concerns every package.
func Of(all []Package, files []string) Touched {
	edited, byPath := map[string]bool{}, map[string]Package{}
	dirs := map[string]string{}
	for _, p := range all {
		byPath[p.ImportPath], dirs[p.Dir] = p, p.ImportPath
	}
	for _, file := range files {
		if file == "go.mod" || file == "go.sum" {
			for path := range byPath {
				edited[path] = true
			}
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if p, ok := dirs[dir]; ok {
				edited[p] = true
				break
			}
		}
	}
	// Tests are not imported: what only they import goes no further.
	broken := maps.Clone(edited)
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !broken[p.ImportPath] && slices.ContainsFunc(p.Imports, func(i string) bool { return broken[i] }) {
				broken[p.ImportPath], grown = true, true
			}
		}
	}
	var touched Touched
	for _, p := range all {
		tests := slices.Concat(p.TestImports, p.XTestImports)
		if edited[p.ImportPath] {
			touched.Own = append(touched.Own, "./"+p.Dir)
		}
		if edited[p.ImportPath] || slices.ContainsFunc(slices.Concat(tests, p.Imports), func(i string) bool { return edited[i] }) {
			touched.Near = append(touched.Near, "./"+p.Dir)
		}
		if broken[p.ImportPath] || slices.ContainsFunc(tests, func(i string) bool { return broken[i] }) {
			touched.All = append(touched.All, "./"+p.Dir)
		}
	}
	return touched
}
