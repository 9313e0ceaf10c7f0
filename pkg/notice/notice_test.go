package notice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/notice"
)

// written are the kinds as they stand in the files of the package.
func written(t *testing.T) map[string]notice.Kind {
	t.Helper()
	found := map[string]notice.Kind{}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			literal, ok := spec.Values[0].(*ast.CompositeLit)
			if !ok || len(literal.Elts) != 4 {
				return true
			}
			text := func(i int) string {
				value, err := strconv.Unquote(literal.Elts[i].(*ast.BasicLit).Value)
				require.NoError(t, err)
				return value
			}
			found[spec.Names[0].Name] = notice.Kind{Code: text(0), English: text(2), Chinese: text(3)}
			return true
		})
	}
	require.Greater(t, len(found), 60)
	return found
}

// verbs are the arguments of a format and how each is printed: "1s".
func verbs(format string) []string {
	next := 1
	var found []string
	for _, match := range regexp.MustCompile(`%(?:\[(\d+)\])?([a-z%])`).FindAllStringSubmatch(format, -1) {
		if match[2] == "%" {
			continue
		}
		if match[1] != "" {
			next, _ = strconv.Atoi(match[1])
		}
		found = append(found, strconv.Itoa(next)+match[2])
		next++
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestEveryLanguageNamesTheSame(t *testing.T) {
	for name, kind := range written(t) {
		if kind.Chinese != "" { // what passes on another's words has none
			require.Equal(t, verbs(kind.English), verbs(kind.Chinese), name)
		} else {
			require.LessOrEqual(t, len(strings.Fields(kind.English)), 2, "%s has words of its own", name)
		}
	}
}

func TestACodeMeansOneThing(t *testing.T) {
	alike := map[string][]string{}
	for name, kind := range written(t) {
		require.Regexp(t, `^[a-z]+(-[a-z]+)*$`, kind.Code)
		alike[kind.Code] = append(alike[kind.Code], name)
	}
	for code, names := range alike {
		slices.Sort(names)
		if len(names) > 1 { // another wording of the same
			require.Contains(t, []string{"counter-resets", "not-split", "size-missing"}, code, "%v", names)
		}
	}
}

func TestTheReadersLanguage(t *testing.T) {
	n := notice.ReadFrom.Of("KV transfer", "NIXL")
	require.Equal(t, notice.Notice{Code: "read-from", Severity: notice.Info, Text: "KV transfer: read from NIXL."}.Text, n.Text)
	require.Equal(t, "KV transfer：读自 NIXL。", n.In("zh-Hans").Text)
	for _, language := range []string{"", "en-US", "fr-FR"} {
		require.Equal(t, n, n.In(language))
	}
	require.Equal(t, "as the server says", notice.OfServer.Of("as the server says").In("zh-Hans").Text)
}
