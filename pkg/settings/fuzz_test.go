package settings_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// FuzzFromInstance reads settings that nobody foresaw. What passes can be worked
// with; what does not is named.
func FuzzFromInstance(f *testing.F) {
	for _, seed := range [][2]string{
		{"http://prometheus:9090", `{}`}, {"", ``}, {" https://user:pass@mimir/prometheus?a=b#c ", `null`}, {"ftp://x", `[]`}, {"http://[::1]:9090", `{"timeout":1e-9}`},
		{"http://p", `{"scrapeInterval":"1m30s","rankStrategy":"rank0","prefixes":{"vllm":["ray_vllm_",""]},"roles":{"prefill":"{instance=~\"p.*\"}"},
			"labels":{"engineGroup":["pod"]},"kvSource":"nixl","customQueryParameters":"?a=b&a=c","httpMethod":"get","timeout":2.5,"seriesLimit":5e1}`},
		{"http://p", `{"requestSizes":[{"model":"/a|b.*/","bytesPerRequest":1},{"model":"m","layers":80,"kvHeads":8,"headDim":128,"inputTokens":8192,"kvDtype":"bf16"}]}`},
		{"http://p", `{"requestSizes":[{"model":"m","inputTokens":8192,"config":{"num_hidden_layers":80,"num_key_value_heads":8,"hidden_size":8192,"num_attention_heads":64}}]}`},
		{"http://p", `{"httpHeaderName1":"a b","tlsAuth":true,"basicAuth":true,"httpIdleConnTimeout":1e30,"serverName":5}`},
		{"http://p", `{"roles":{"prefill":"}or{"},"labels":{"":["x"]},"timeout":9e99,"seriesLimit":-0.0}`},
		{"http://p", `{"catalog":{"systems":[{"system":"acme","bindings":[{"signal":"ttft","buckets":[1e400,null]}]}]},"kvSource":"acme"}`},
		{"http://p", `{"scrapeInterval":"290y","timeout":"0.5ms"}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, url string, jsonData []byte) {
		instance := backend.DataSourceInstanceSettings{
			URL: url, JSONData: jsonData, DecryptedSecureJSONData: map[string]string{"httpHeaderValue1": "v", "basicAuthPassword": "p"},
		}
		s, err := settings.FromInstance(t.Context(), instance)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Positive(t, s.Timeout)
		require.GreaterOrEqual(t, s.ScrapeInterval, time.Duration(0))
		require.GreaterOrEqual(t, s.SeriesLimit, 0)
		require.Contains(t, []string{"GET", "POST"}, s.HTTPMethod)
		for role, matchers := range s.Roles {
			_, err := promql.ParseMatchers(matchers)
			require.NoError(t, err, role)
		}
		for _, size := range s.RequestSizes {
			if size.Fault != nil {
				require.NotEmpty(t, size.Fault.Error())
				continue
			}
			bytes, err := size.Bytes()
			require.NoError(t, err)
			require.Positive(t, bytes.PerRequest)
		}
		require.NotPanics(t, func() { _, err = s.HTTPOptions(t.Context(), instance) })
		if err != nil {
			require.NotEmpty(t, err.Error())
		}
		again, err := settings.FromInstance(t.Context(), instance)
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
