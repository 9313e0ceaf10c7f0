package audit

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A finding comes once for each level at which it is known; only that with a function
// says that the fault is called.
const messages = `
{"config": {"protocol_version": "v1.0.0", "db": "file:///x"}}
{"progress": {"message": "Scanning"}}
{"osv": {"id": "GO-1"}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.26.10", "trace": [{"module": "stdlib", "version": "v1.26.8", "package": "net/http"}]}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.26.10", "trace": [
  {"module": "stdlib", "version": "v1.26.8", "package": "net/http", "function": "Do", "receiver": "*Client"},
  {"module": "example.org/own", "package": "example.org/own/pkg", "function": "main"}]}}
{"finding": {"osv": "GO-2", "fixed_version": "v2.1.0", "trace": [{"module": "example.org/imported", "version": "v2.0.0", "package": "example.org/imported/x"}]}}
{"finding": {"osv": "GO-4", "fixed_version": "v1.1.0", "trace": [{"module": "example.org/old", "version": "v1.0.0", "package": "example.org/old/p", "function": "Run"}]}}
{"finding": {"osv": "GO-3", "trace": [{"module": "example.org/called", "version": "v0.3.0", "package": "example.org/called", "function": "Parse"}]}}
`

func TestOnlyCalledFaultsCount(t *testing.T) {
	faults, err := called(strings.NewReader(messages))
	require.NoError(t, err)
	require.Equal(t, map[string]fault{
		"GO-1": {"stdlib", "v1.26.8", "v1.26.10", "net/http"},
		"GO-3": {"example.org/called", "v0.3.0", "", "example.org/called"},
		"GO-4": {"example.org/old", "v1.0.0", "v1.1.0", "example.org/old/p"},
	}, faults)
	for id, fails := range map[string]bool{"GO-1": false, "GO-3": false, "GO-4": true} {
		require.Equal(t, fails, faults[id].mended(), id)
	}
	require.Equal(t, "net/http of Go 1.26.8, mended in 1.26.10: build releases with that or a newer one", faults["GO-1"].String())
	require.Equal(t, "example.org/called of example.org/called v0.3.0, no version without it", faults["GO-3"].String())
	_, err = called(strings.NewReader(`{"finding": `))
	require.Error(t, err)
}

func TestAnAuditIsToldFromTheReasonWhyThereIsNone(t *testing.T) {
	a, err := read([]byte(`{"auditReportVersion": 2, "vulnerabilities": {
		"a": {"severity": "critical", "fixAvailable": true},
		"b": {"severity": "high", "fixAvailable": {"name": "x", "isSemVerMajor": true}},
		"c": {"severity": "low", "fixAvailable": true}, "d": {"severity": "high", "fixAvailable": false}}}`))
	require.NoError(t, err)
	for name, fails := range map[string]bool{"a": true, "b": false, "c": false, "d": false} {
		p := a.Vulnerabilities[name]
		require.Equal(t, fails, p.grave() && p.mended(), name)
	}
	_, err = read([]byte(`{"message": "405 Method Not Allowed", "statusCode": 405}`))
	require.ErrorContains(t, err, "405 Method Not Allowed")
	_, err = read([]byte("npm error code ENOTFOUND"))
	require.Error(t, err)
}

func TestADatabaseThatRefusesIsNotReached(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index/db.json" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	require.NoError(t, answers(t.Context(), server.URL+"/index/db.json"))
	require.ErrorContains(t, answers(t.Context(), server.URL+"/other"), "403")
	server.Close()
	require.Error(t, answers(t.Context(), server.URL+"/index/db.json"))
}
