package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheEmbeddedCatalogIsConsistent(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	require.NotEmpty(t, c.Signals())
}

func TestTheSourcesOfASeriesAreFoundByItsName(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	own := map[string][]string{"sglang": {"own_"}}
	for series, exporter := range map[string]string{
		"vllm:num_requests_running":                "vllm",
		"ray_vllm_num_requests_running":            "vllm",
		"vllm:e2e_request_latency_seconds_bucket":  "vllm",
		"sglang:time_to_first_token_seconds_count": "sglang",
		"own_num_running_reqs":                     "sglang",
		"DCGM_FI_DEV_SM_CLOCK":                     "dcgm",
		"num_requests_running":                     "",
		"own_num_requests_running":                 "",
		"vllm:num_requests_running_bucket":         "",
		"up":                                       "",
		"":                                         "",
	} {
		found := c.SourcesOf(series, own)
		require.Equal(t, exporter != "", len(found) > 0, series)
		for _, s := range found {
			require.Equal(t, exporter, s.Exporter, series)
		}
	}
}
