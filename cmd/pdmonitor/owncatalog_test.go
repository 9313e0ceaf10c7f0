package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const ownCatalog = `systems:
  - system: acme
    title: Acme
    prefixes: ["acme:"]
    labels: {model: [llm]}
    carries: {server: [model]}
    bindings:
      - {signal: decode_token_rate, role: decode, shape: sum, names: [words_total], type: counter, from: server}
`

func TestAnOwnCatalogNeedsNoBuild(t *testing.T) {
	path := written(t, "acme.yaml", ownCatalog)
	compiled := pdmonitor(t.Context(), "compile", "--signal", "decode_token_rate", "--system", "acme", "--group-by", "model", "--catalog", path)
	require.Zero(t, compiled.status, compiled.err)
	require.Contains(t, compiled.out, "acme:words_total")
	listed := pdmonitor(t.Context(), "catalog", "--bindings", "--catalog", path)
	require.Zero(t, listed.status, listed.err)
	require.Contains(t, listed.out, "acme:words_total")
	require.NotContains(t, pdmonitor(t.Context(), "catalog", "--bindings").out, "acme")
}

func TestTheFlagsCatalogWinsOverTheFiles(t *testing.T) {
	settings := written(t, "s.yaml", "jsonData: {catalog: {systems: [{system: other}]}}")
	got := pdmonitor(t.Context(), "compile", "--signal", "decode_token_rate", "--system", "acme", "--settings", settings, "--catalog", written(t, "acme.yaml", ownCatalog))
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.out, "acme:words_total")
}

func TestAFaultOfAnOwnCatalogNamesFileAndLine(t *testing.T) {
	path := written(t, "acme.yaml", ownCatalog+"      - {signal: ttft, role: decod, shape: sum, names: [ttft_seconds], type: histogram, from: server}\n")
	got := pdmonitor(t.Context(), "compile", "--signal", "ttft", "--catalog", path)
	require.Equal(t, exitFailed, got.status)
	require.Contains(t, got.err, path+`:9: systems[0].bindings[1].role "decod" is no role: did you mean decode?`)
	got = pdmonitor(t.Context(), "catalog", "--catalog", path+".none")
	require.Equal(t, exitFailed, got.status)
	require.Contains(t, got.err, "--catalog")
}
