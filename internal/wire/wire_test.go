package wire

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

func TestTheFileThatShipsIsWhatGoDeclares(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	text, err := File(c)
	require.NoError(t, err)
	shipped, err := os.ReadFile("../../src/wire.gen.ts")
	require.NoError(t, err)
	require.True(t, string(shipped) == text, "src/wire.gen.ts is stale: run go tool mage wire")
}

// told has a field of every sort.
type told struct {
	Name   string `json:"name"`
	Counts []int  `json:"counts,omitempty"`
	part
	Maybe  *bool                `json:"maybe"`
	Left   *float64             `json:"left,omitempty"`
	By     map[string][]float64 `json:"by"`
	Raw    json.RawMessage      `json:"raw"`
	Hidden string               `json:"-"`
	own    string
}

type part struct {
	Side side `json:"side"`
}

type side string

func written(of reflect.Type, otherwise map[string]string) (string, error) {
	s := &script{types: map[reflect.Type]string{of: "Told", reflect.TypeFor[side](): "Side"}, otherwise: otherwise, used: map[string]bool{}}
	s.structure(of)
	return s.text.String(), s.err
}

func TestAStructIsWrittenAsJSONHasIt(t *testing.T) {
	require.Empty(t, told{}.own)
	text, err := written(reflect.TypeFor[told](), map[string]string{"Told.raw": "unknown"})
	require.NoError(t, err)
	require.Equal(t, `
/** wire.told */
export interface Told {
  name: string;
  counts?: number[];
  side: Side;
  maybe: boolean | null;
  left?: number;
  by: Record<string, number[]>;
  raw: unknown;
}
`, text)
}

func TestWhatIsNotDeclaredIsRefused(t *testing.T) {
	type kind string
	for name, of := range map[string]reflect.Type{
		"a set of names without a list": reflect.TypeFor[struct {
			Kind kind `json:"kind"`
		}](),
		"a struct without a name": reflect.TypeFor[struct {
			Part part `json:"part"`
		}](),
		"JSON of any form": reflect.TypeFor[struct {
			Raw json.RawMessage `json:"raw"`
		}](),
		"any value": reflect.TypeFor[struct {
			Any any `json:"any"`
		}](),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := written(of, nil)
			require.ErrorContains(t, err, "add it to the lists or structures of internal/wire")
		})
	}
	_, err := written(reflect.TypeFor[struct{ Name string }](), nil)
	require.ErrorContains(t, err, "has no name in JSON")
}

func TestLinesAreBrokenWherePrettierBreaksThem(t *testing.T) {
	s := &script{}
	s.constant("FEW", []string{"", "it's", `back\slash`})
	s.constant("MANY", []string{
		"a name of twenty-five let", "a name of twenty-five let", "a name of twenty-five let", "a name of twenty-five let",
	})
	require.Equal(t, `
export const FEW = ['', "it's", 'back\\slash'] as const;

export const MANY = [
  'a name of twenty-five let',
  'a name of twenty-five let',
  'a name of twenty-five let',
  'a name of twenty-five let',
] as const;
`, s.text.String())
	require.Equal(t, "vllm", key("vllm"))
	require.Equal(t, "'my-engine'", key("my-engine"))
}

// A list has to name every constant of its type: the front end knows no other.
func TestTheListsHaveEveryConstant(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	for _, l := range lists(c) {
		dir := "../../" + strings.TrimPrefix(l.of.PkgPath(), "github.com/ptd-monitor/pdmonitor/")
		if constants := constantsOf(t, dir, l.of.Name()); len(constants) > 0 {
			require.ElementsMatch(t, constants, l.names, "%s", l.of)
		}
	}
}

// constantsOf are the values of a package's constants that are declared with a type.
func constantsOf(t *testing.T, dir, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, dir)
	var values []string
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != name {
				return true
			}
			for _, v := range spec.Values {
				if literal, ok := v.(*ast.BasicLit); ok {
					value, err := strconv.Unquote(literal.Value)
					require.NoError(t, err)
					values = append(values, value)
				}
			}
			return true
		})
	}
	return values
}
