package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

const settingsJSON = `{"url": "", "jsonData": {"scrapeInterval": "5s", "kvSource": "flagcx",
	"requestSizes": [{"model": "org/m-1.5", "bytesPerRequest": 2684354560}]}, "secureJsonData": {"basicAuthPassword": "x"}}`

const settingsYAML = `
jsonData:
  scrapeInterval: 5s
  kvSource: flagcx
  requestSizes:
    - model: org/m-1.5
      bytesPerRequest: 2684354560
secureJsonData:
  basicAuthPassword: x
`

func TestSettingsMayBeJSONOrYAML(t *testing.T) {
	var compiled [2]plugin.Compiled
	for i, path := range []string{written(t, "s.json", settingsJSON), written(t, "s.yaml", settingsYAML)} {
		got := pdmonitor(t.Context(), "compile", "--signal", "kv_transfer_request_rate", "--group-by", "model", "--settings", path, "-o", "json")
		require.Zero(t, got.status, got.err)
		require.NoError(t, json.Unmarshal([]byte(got.out), &compiled[i]))
	}
	require.Equal(t, compiled[0], compiled[1])
	require.Equal(t, "20s", compiled[0].Window, "four scrape intervals")
	require.Contains(t, compiled[0].PromQL[0], `model_name="org/m-1.5"`)
	require.Contains(t, compiled[0].PromQL[0], "/ 2684354560")
}

func TestBadSettingsSayWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct{ text, message string }{
		"no YAML":                 {"{", "--settings"},
		"an unknown field":        {"jsondata: {}", "jsondata"},
		"jsonData that is a list": {"jsonData: []", "jsonData"},
		"a wrong value":           {"jsonData: {rankStrategy: best}", "rankStrategy"},
		"a wrong type":            {"jsonData: {scrapeInterval: [1]}", "scrapeInterval"},
		"a key that is a number":  {"jsonData: {requestSizes: [{1: 2}]}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := pdmonitor(t.Context(), "compile", "--signal", "ttft", "--settings", written(t, "s.yaml", test.text))
			require.Equal(t, exitFailed, got.status, got.out)
			require.Contains(t, got.err, test.message)
		})
	}
}

func TestAnEmptySettingsFileSetsNothing(t *testing.T) {
	with := pdmonitor(t.Context(), "compile", "--signal", "ttft", "--settings", written(t, "s.yaml", "# nothing yet\n"))
	without := pdmonitor(t.Context(), "compile", "--signal", "ttft")
	require.Zero(t, with.status, with.err)
	require.Equal(t, without, with)
}

func TestAnAddressThatIsNoneIsRefusedAtOnce(t *testing.T) {
	noScheme, noHost := "does not begin with http:// or https://: give the address of the server", "has no host: give the address of the server"
	for name, test := range map[string]struct{ address, message string }{
		"a word":                   {"nonsense", noScheme},
		"a host and a port":        {"prometheus:9090", noScheme},
		"another scheme":           {"ftp://reader:very-secret@x", noScheme},
		"no host":                  {"http://", noHost},
		"a port alone":             {"http://reader:very-secret@:9090", noHost},
		"a port that is no number": {"http://reader:very-secret@x:many", "cannot be read: give the address of the server"},
		"nothing":                  {"", "is empty: give the address of the server"},
		"blanks":                   {"  ", "is empty: give the address of the server"},
	} {
		for command, flag := range map[string]string{"serve": "url", "query": "url", "compile": "url", "rules": "url", "catalog": "check"} {
			t.Run(name+", "+command, func(t *testing.T) {
				args := []string{command, "--" + flag, test.address}
				if command == "query" || command == "compile" {
					args = append(args, "--signal", "ttft")
				}
				got := pdmonitor(t.Context(), args...)
				require.Equal(t, exitWrongUse, got.status, got.err)
				require.Contains(t, got.err, "--"+flag+" "+test.message)
				require.Contains(t, got.err, "http://prometheus:9090")
				require.NotContains(t, got.err, "very-secret")
				require.Contains(t, got.err, "Run 'pdmonitor "+command+" --help' for usage.")
				require.Empty(t, got.out)
			})
		}
	}
}
