package signalsdoc_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/signalsdoc"
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

func rendered(t *testing.T) (*catalog.Catalog, string) {
	t.Helper()
	c, err := catalog.Load()
	require.NoError(t, err)
	return c, signalsdoc.Page(c)
}

func TestThePageThatShipsIsTheCatalogs(t *testing.T) {
	_, page := rendered(t)
	shipped, err := os.ReadFile("../../docs/signals.md")
	require.NoError(t, err)
	require.True(t, string(shipped) == page, "docs/signals.md is stale: run go tool mage docs")
}

func TestThePageHoldsEverySignalMetricAndException(t *testing.T) {
	c, page := rendered(t)
	for _, s := range c.Signals() {
		require.Contains(t, page, "| `"+s.ID+"` | "+s.Title+" / "+s.TitleZH+" | "+s.NoteZH+" |")
	}
	for _, s := range c.Systems() {
		require.Contains(t, page, "### "+s.Title+"\n")
		for _, b := range s.Bindings {
			for _, name := range c.NamesOf(b) {
				require.Contains(t, page, "`"+name+"`")
			}
		}
	}
	for _, e := range c.Exceptions() {
		for _, name := range e.Names {
			require.Contains(t, page, "`"+name+"`")
		}
	}
}

// A bar within a cell would shift all cells after it.
func TestEveryRowOfATableHasAsManyCellsAsItsHead(t *testing.T) {
	_, page := rendered(t)
	bar := regexp.MustCompile(`(^|[^\\])\|`)
	cells := 0
	for i, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := len(bar.FindAllString(line, -1))
		if cells == 0 {
			cells = n
		}
		require.Equal(t, cells, n, "line %d: %s", i+1, line)
	}
}

func TestThePageSaysWhatTheReaderMustKnow(t *testing.T) {
	_, page := rendered(t)
	for _, want := range []string{
		"| gauge | percent → share | `gpu_utilization` |",
		"one of the equal copies kept, then added",
		"each rank counts its part: all ranks added",
		"buckets merged before the quantile",
		"SGLang: decode; vLLM: each role apart",
		"forward pass metrics (FPM)",
	} {
		require.Contains(t, page, want)
	}
}
