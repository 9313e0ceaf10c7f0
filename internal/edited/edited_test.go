package edited_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/edited"
)

func TestFilesThatDifferFromTheLastCommit(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for _, name := range []string{"same", "changed", "staged", "removed", "old name"} {
		write(name, name+"\n")
	}
	write(".gitignore", "ignored\n")
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "first")

	got, err := edited.Files(t.Context(), dir)
	require.NoError(t, err)
	require.Empty(t, got)

	write("changed", "other\n")
	write("staged", "other\n")
	write("a/new 文件", "new\n")
	write("ignored", "new\n")
	git("add", "staged")
	git("mv", "old name", "new name")
	require.NoError(t, os.Remove(filepath.Join(dir, "removed")))
	got, err = edited.Files(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"a/new 文件", "changed", "new name", "old name", "removed", "staged"}, got)

	_, err = edited.Files(t.Context(), t.TempDir())
	require.Error(t, err)
}

func TestWhatAnEditMayBreak(t *testing.T) {
	all := []edited.Package{
		{ImportPath: "m/base", Dir: "base"},
		{ImportPath: "m/top", Dir: "top", Imports: []string{"fmt", "m/middle"}},
		{ImportPath: "m/middle", Dir: "middle", Imports: []string{"m/base"}},
		{ImportPath: "m/tested", Dir: "tested", XTestImports: []string{"m/middle"}},
		{ImportPath: "m/far", Dir: "far", Imports: []string{"m/tested"}},
		{ImportPath: "m/other", Dir: "other", TestImports: []string{"testing"}},
	}
	every := []string{"./base", "./top", "./middle", "./tested", "./far", "./other"}
	for name, test := range map[string]struct {
		files []string
		want  edited.Touched
	}{
		"who imports it, through others too":    {[]string{"base/a.go"}, edited.Touched{[]string{"./base"}, []string{"./base", "./middle"}, []string{"./base", "./top", "./middle", "./tested"}}},
		"whose tests import it, and no further": {[]string{"middle/a.go"}, edited.Touched{[]string{"./middle"}, []string{"./top", "./middle", "./tested"}, []string{"./top", "./middle", "./tested"}}},
		"data of a package":                     {[]string{"other/testdata/deep/x.tsv"}, edited.Touched{[]string{"./other"}, []string{"./other"}, []string{"./other"}}},
		"nothing of Go's":                       {[]string{"src/x.ts", "README.md"}, edited.Touched{}},
		"the versions of modules":               {[]string{"go.mod"}, edited.Touched{every, every, every}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, edited.Of(all, test.files))
		})
	}
}

func TestPackagesOfTheProject(t *testing.T) {
	all, err := edited.Packages(t.Context(), "../..")
	require.NoError(t, err)
	touched := edited.Of(all, []string{"pkg/nearest/nearest.go"})
	require.Equal(t, []string{"./pkg/nearest"}, touched.Own)
	require.Contains(t, touched.Near, "./pkg/catalog")
	require.Contains(t, touched.All, "./cmd/pdmonitor")
}
