package plugin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// faults are what a server, or what lies before it, may do instead of answering.
func faults() map[string]struct {
	fail   http.HandlerFunc
	status int
	text   string
} {
	return map[string]struct {
		fail   http.HandlerFunc
		status int
		text   string
	}{
		"the query is refused":         {apiError(400, "bad_data", "parse error: unexpected end"), 400, "The server refused the query (400): parse error: unexpected end."},
		"a login is missing":           {answering(401, "text/plain", "Unauthorized"), 401, "The server asks for a login (401)"},
		"the login has no right":       {answering(403, "text/html", "<html>no</html>"), 403, "The server denies access (403)"},
		"the path is wrong":            {answering(404, "text/plain", "404 page not found"), 404, "No Prometheus API answers at this address (404)"},
		"POST is not allowed":          {answering(405, "text/plain", ""), 405, "Set the HTTP method to"},
		"the query cannot be run":      {apiError(422, "execution", "query processing would load too many samples"), 422, "too many samples"},
		"there are too many requests":  {answering(429, "text/plain", "slow down"), 429, "The server gets too many requests (429)"},
		"the server fails":             {apiError(500, "internal", "the disk is full"), 500, "The server failed (500): the disk is full."},
		"the proxy has no server":      {answering(502, "text/html", "<html>nginx</html>"), 502, "A proxy could not reach the server (502)"},
		"the server is not ready":      {answering(503, "text/plain", "starting"), 503, "The server is not available (503): starting."},
		"the server is slow":           {apiError(503, "timeout", "query timed out"), 503, "The query took too long for the server (503)"},
		"the server does not answer":   {hanging, 504, "The server did not answer within 1s."},
		"the connection is reset":      {hijacked(resetting), 502, "closed the connection before it answered"},
		"the answer breaks off":        {hijacked(breakingOff), 502, "The answer broke off in the middle."},
		"a login page has status 200":  {answering(200, "text/html", "<!doctype html><title>Log in</title>"), 502, "This is not a Prometheus API (got text/html)"},
		"the JSON is another API's":    {answering(200, "application/json", `{"hello":"world"}`), 502, "This is not a Prometheus API (got other JSON than its own)"},
		"the JSON is a list":           {answering(200, "application/json", `[]`), 502, "This is not a Prometheus API"},
		"the answer is empty":          {answering(200, "application/json", ""), 502, "The answer ends too early"},
		"the error has the status 200": {apiError(200, "execution", "found duplicate series"), 422, "found duplicate series"},
	}
}

func decodeRate(t *testing.T) backend.DataQuery {
	t.Helper()
	return theDefaultCluster(t).query(t, byModel("decode_request_rate"), settled, ended)
}

func shortTimeout() map[string]any { return map[string]any{"timeout": "1s"} }

func TestAFailingQueryKeepsThePlanThatDiscoveryMade(t *testing.T) {
	for name, test := range faults() {
		t.Run(name, func(t *testing.T) {
			source := opened(t, failingOn(t, test.fail, onRanges), shortTimeout())
			got := respond(t, source, decodeRate(t))
			require.ErrorContains(t, got.Error, test.text)
			require.EqualValues(t, test.status, got.Status)
			require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
			require.Len(t, got.Frames, 1, "the query inspector shows what was asked")
			require.Contains(t, got.Frames[0].Meta.ExecutedQueryString, `sglang:num_requests_total{engine_type="decode"}`)

			// The rest of the data source is well.
			health, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
			require.NoError(t, err)
			require.Equal(t, backend.HealthStatusOk, health.Status)
			require.Equal(t, http.StatusOK, call(t, source, http.MethodGet, "labels/model/values", "").status)
		})
	}
}

func TestAServerThatFailsEverywhereIsReportedByEveryHandler(t *testing.T) {
	for name, test := range faults() {
		t.Run(name, func(t *testing.T) {
			source := opened(t, failingOn(t, test.fail, everywhere), shortTimeout())
			requireFailure(t, source, test.status, test.text)
		})
	}
	t.Run("nothing listens", func(t *testing.T) {
		requireFailure(t, opened(t, refusing(t), nil), 502, "(connection refused)")
	})
}

func TestAServerThatAnswersLabelsAloneIsReportedByQueriesAndHealth(t *testing.T) {
	for name, test := range faults() {
		t.Run(name, func(t *testing.T) {
			source := opened(t, failingOn(t, test.fail, onQueries), shortTimeout())
			got := respond(t, source, decodeRate(t))
			require.ErrorContains(t, got.Error, test.text)
			require.EqualValues(t, test.status, got.Status)
			health, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
			require.NoError(t, err)
			require.Equal(t, backend.HealthStatusError, health.Status)
			require.Contains(t, health.Message, test.text)
		})
	}
}

func requireFailure(t *testing.T, source *plugin.Datasource, status int, text string) {
	t.Helper()
	got := respond(t, source, decodeRate(t))
	require.ErrorContains(t, got.Error, text)
	require.EqualValues(t, status, got.Status)
	require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
	for _, f := range got.Frames {
		require.NotEmpty(t, f.Meta.ExecutedQueryString)
	}

	health, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusError, health.Status)
	require.Contains(t, health.Message, text)

	labels := call(t, source, http.MethodGet, "labels/model/values", "")
	require.Equal(t, status, labels.status)
	require.Equal(t, "application/json", labels.header.Get("Content-Type"))
	f := labels.failure(t)
	require.Equal(t, status, f.Error.Status)
	require.Equal(t, "downstream", f.Error.Source)
	require.Contains(t, f.Error.Message, text)
	require.Equal(t, f.Error.Message, f.Message, "Grafana's fetch reads it there")

	// The list of signals needs no server.
	require.Equal(t, http.StatusOK, call(t, source, http.MethodGet, "catalog", "").status)
}

func TestASuccessWithoutDataIsAFailureOfAQuery(t *testing.T) {
	source := opened(t, failingOn(t, answering(200, "application/json", `{"status":"success"}`), onRanges), nil)
	got := respond(t, source, decodeRate(t))
	require.ErrorContains(t, got.Error, "holds no data")
	require.EqualValues(t, http.StatusBadGateway, got.Status)
}

func TestOnePartThatFailsLeavesTheOthersStanding(t *testing.T) {
	// TTFT is one expression for each role of vLLM and one for SGLang.
	address := failingOn(t, apiError(422, "execution", "too much of decode"), func(r *http.Request) bool {
		return strings.Contains(r.URL.Query().Get("query"), `instance=~"decode.*"`)
	})
	source := opened(t, address, map[string]any{"httpMethod": "GET"})
	got := respond(t, source, theDefaultCluster(t).query(t, query.Query{Signal: "ttft"}, settled, ended))
	require.ErrorContains(t, got.Error, "too much of decode")
	require.EqualValues(t, http.StatusUnprocessableEntity, got.Status)
	var systems []string
	for _, f := range got.Frames {
		require.Len(t, f.Fields, 2)
		systems = append(systems, f.Fields[1].Labels["system"]+" "+f.Fields[1].Labels["role"])
	}
	require.ElementsMatch(t, []string{"vllm prefill", "sglang "}, systems)
}
