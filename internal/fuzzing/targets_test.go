package fuzzing_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/fuzzing"
)

func TestOnlyFuzzTestsAreFound(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("a/b/one_test.go", "package b\n\n// func FuzzNot(f *testing.F) {}\nfunc FuzzFirst() {}\n\nfunc TestFuzz() {}\n\nfunc FuzzSecond() {}\n")
	write("a/plain.go", "package a\n\nfunc FuzzPlain() {}\n")
	write("c/method_test.go", "package c\n\ntype x int\n\nfunc (x) FuzzMethod() {}\n")
	found, err := fuzzing.Targets(filepath.Join(dir, "a"), filepath.Join(dir, "c"))
	require.NoError(t, err)
	at := filepath.Join(dir, "a", "b")
	require.Equal(t, []fuzzing.Target{{Dir: at, Name: "FuzzFirst"}, {Dir: at, Name: "FuzzSecond"}}, found)

	_, err = fuzzing.Targets(filepath.Join(dir, "missing"))
	require.Error(t, err)
	write("d/broken_test.go", "package d\n\nfunc Fuzz")
	_, err = fuzzing.Targets(filepath.Join(dir, "d"))
	require.ErrorContains(t, err, "broken_test.go")
}

func TestEveryParserOfTheProjectIsATarget(t *testing.T) {
	found, err := fuzzing.Targets("../../pkg")
	require.NoError(t, err)
	packages := map[string]bool{}
	for _, f := range found {
		packages[filepath.Base(f.Dir)] = true
	}
	for _, parser := range []string{"compile", "discovery", "kvcache", "prom", "promql", "query", "settings"} {
		require.True(t, packages[parser], "%s has no fuzz target", parser)
	}
}
