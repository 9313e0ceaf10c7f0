// Package fuzzing finds the fuzz targets of the project, so that none is forgotten.
package fuzzing

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// Target is one fuzz test.
type Target struct {
	// Dir is the folder of its package, and Name that of its function.
	Dir, Name string
}

// Targets are the fuzz tests in folders and below them, in the order of their files.
func Targets(folders ...string) ([]Target, error) {
	var found []Target
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			names, err := declared(path)
			for _, name := range names {
				found = append(found, Target{Dir: filepath.Dir(path), Name: name})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find fuzz targets: %w", err)
		}
	}
	return found, nil
}

// declared are the names of the fuzz tests of a file.
func declared(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}
