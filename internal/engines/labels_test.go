package engines_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// odd are model names that are plain, that look like expressions, and that need
// every kind of escaping.
var odd = []string{
	"org/model-7B", "org/model.7B", "org/modelx7B", "a", "a|b", "b", "a+", "aa", "a*", "(a)", "[a]", "a{2}", "^a$", "$", "a$",
	`back\slash`, `back\\slash`, `\d`, `\n`, "new\nline", `"quoted"`, "'", "`", "{a=\"b\"}", "a,b", "a=b", "  spaces  ", "模型", "$1", "#",
}

// feedOdd writes a series for each, at the end of the replay.
func feedOdd(ctx context.Context, into all, start time.Time) error {
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	var page strings.Builder
	for i, name := range odd {
		fmt.Fprintf(&page, "vllm:kv_cache_usage_perc{model_name=\"%s\",engine=\"0\"} %v\n", escaped.Replace(name), share(i))
	}
	for at := length - 5*time.Second; at <= length; at += time.Second {
		if err := into.AppendText(ctx, []byte(page.String()), map[string]string{"instance": "prefill-odd", "job": "odd"}, start.Add(at)); err != nil {
			return err
		}
	}
	return nil
}

// share is the value of the series of odd[i].
func share(i int) float64 { return float64(i+1) / 100 }

func TestAFilterFindsExactlyTheSeriesOfItsValues(t *testing.T) {
	each(t, func(t *testing.T, s *source) {
		s = s.with(t, map[string]any{"customQueryParameters": "nocache=1"})
		found := func(op query.Op, values ...string) map[string]float64 {
			q := by("kv_cache_usage", "", "")
			q.System = "vllm"
			q.Filters = []query.Filter{{Label: "model", Op: op, Values: values}, {Label: "job", Op: query.OpEqual, Values: []string{"odd"}}}
			got := map[string]float64{}
			for _, row := range s.table(t, q, length) {
				got[row[1].(string)] = row[len(row)-1].(float64)
			}
			return got
		}
		everything := map[string]float64{}
		for i, name := range odd {
			everything[name] = share(i)
		}
		for i, name := range odd {
			require.Equal(t, map[string]float64{name: share(i)}, found(query.OpEqual, name))
			next := odd[(i+1)%len(odd)]
			require.Equal(t, map[string]float64{name: share(i), next: everything[next]}, found(query.OpEqual, name, next), "beside %q", next)
		}
		require.Equal(t, everything, found(query.OpEqual, odd...))
		require.Equal(t, everything, found(query.OpNotEqual, "another"))
		require.Equal(t, map[string]float64{"a": everything["a"]}, found(query.OpNotEqual, without("a")...))
		require.Equal(t, map[string]float64{"a": everything["a"], "aa": everything["aa"]}, found(query.OpMatch, "a+"))
	})
}

func without(one string) []string {
	var rest []string
	for _, name := range odd {
		if name != one {
			rest = append(rest, name)
		}
	}
	return rest
}
