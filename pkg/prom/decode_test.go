package prom_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// largeMatrix is an answer of series × points as a server would send it.
func largeMatrix(series, points int) string {
	var b strings.Builder
	b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for s := range series {
		if s > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"metric":{"__name__":"sglang:num_running_reqs","instance":"decode-%d:30000","model_name":"meta-llama/Llama-3.1-70B"},"values":[`, s)
		for p := range points {
			if p > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `[%d.%03d,"%g"]`, 1_700_000_000+p, s, float64(s*p)/7)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}}`)
	return b.String()
}

// fixed answers every request with one body, without a network, so that the
// benchmark below times the decoding alone. Error tests use real listeners.
type fixed string

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       readCloser{strings.NewReader(string(f))},
		Request:    r,
	}, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestLargeMatrix(t *testing.T) {
	address, _ := answering(t, largeMatrix(20, 500))
	got, err := newClient(t, prom.Options{URL: address}).Query(t.Context(), "x", time.Unix(1, 0))
	require.NoError(t, err)
	matrix, ok := got.Value.(prom.Matrix)
	require.True(t, ok)
	require.Len(t, matrix, 20)
	for s, stream := range matrix {
		require.Len(t, stream.Values, 500)
		for p, value := range stream.Values {
			require.Equal(t, int64(1_700_000_000+p)*1000+int64(s), stream.Times[p])
			require.Equal(t, float64(s*p)/7, value)
		}
	}
}

// BenchmarkDecode times an answer of 1,000 series × 1,000 points, and in the same
// rounds the baseline: encoding/json into generic maps. "speedup" is the
// baseline's time over ours; it holds on any machine, ns/op does not.
func BenchmarkDecode(b *testing.B) {
	body := largeMatrix(1000, 1000)
	client, err := prom.New(prom.Options{URL: "http://prometheus", HTTP: &http.Client{Transport: fixed(body)}})
	require.NoError(b, err)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	var ours, baseline time.Duration
	for b.Loop() {
		start := time.Now()
		_, err := client.Query(b.Context(), "x", time.Unix(1, 0))
		ours += time.Since(start)
		require.NoError(b, err)

		b.StopTimer()
		start = time.Now()
		var generic map[string]any
		err = json.Unmarshal([]byte(body), &generic)
		baseline += time.Since(start)
		require.NoError(b, err)
		b.StartTimer()
	}
	b.ReportMetric(float64(baseline)/float64(ours), "speedup")
}
