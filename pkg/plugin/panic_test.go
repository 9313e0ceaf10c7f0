package plugin

import (
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// panicking stands for a fault of our own below the query.
type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("a fault of ours") }

func TestAPanicIsTheErrorOfItsQueryAndNotTheEndOfThePlugin(t *testing.T) {
	opened, err := Open(t.Context(), backend.DataSourceInstanceSettings{JSONData: []byte(`{}`)})
	require.NoError(t, err)
	opened.client, err = prom.New(prom.Options{URL: "http://localhost", HTTP: &http.Client{Transport: panicking{}}})
	require.NoError(t, err)
	now := time.Now()
	rng := backend.TimeRange{From: now.Add(-time.Minute), To: now}
	response, err := opened.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{
		{RefID: "A", JSON: []byte(`{"signal":"itl"}`), TimeRange: rng},
		{RefID: "B", JSON: []byte(`{"signal":"no such signal"}`), TimeRange: rng},
	}})
	require.NoError(t, err)
	require.ErrorContains(t, response.Responses["A"].Error, "a fault of ours")
	require.Equal(t, backend.StatusInternal, response.Responses["A"].Status)
	require.Equal(t, backend.ErrorSourcePlugin, response.Responses["A"].ErrorSource)
	require.ErrorContains(t, response.Responses["B"].Error, "no such signal")
}
