package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/nearest"
)

func TestNamesNearestFirst(t *testing.T) {
	known := []string{"llama-3.1-70b", "llama-3.1-8b", "llama-4-scout", "mixtral-8x7b", "ttft", "ttft_bucket"}
	for name, test := range map[string]struct {
		wrong string
		want  []string
	}{
		"a letter too many":                   {"ttfft", []string{"ttft"}},
		"letters in another order":            {"tttf", []string{"ttft"}},
		"the beginning of several":            {"llama", []string{"llama-3.1-8b", "llama-3.1-70b", "llama-4-scout"}},
		"a beginning before what is alike":    {"llama-4", []string{"llama-4-scout", "llama-3.1-8b"}},
		"a known name is nearest to itself":   {"ttft", []string{"ttft", "ttft_bucket"}},
		"a known name with more behind it":    {"mixtral-8x7b-v2", []string{"mixtral-8x7b"}},
		"nothing is near to another word":     {"zzzzzzzz", nil},
		"lengths too different":               {"ttft_but_not_so_short", nil},
		"nothing is near to nothing":          {"", nil},
		"letters of several bytes do no harm": {"ttft—", []string{"ttft"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := nearest.Names(test.wrong, known)
			require.LessOrEqual(t, len(got), 3)
			require.Equal(t, test.want, got)
		})
	}
}
