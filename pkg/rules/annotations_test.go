package rules_test

import (
	"maps"
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// captured is what Grafana's templates have of a node of a rule.
type captured struct {
	Labels map[string]string
	Value  float64
}

func (c captured) String() string { return strconv.FormatFloat(c.Value, 'f', -1, 64) }

// evaluated is what Grafana's templates have of an evaluation: values of the nodes that
// gave one, NaN of those that were without; none where a query had no data or failed.
type evaluated struct {
	Labels map[string]string
	Values map[string]captured
	Value  any
}

// expand is how Grafana expands a text of a rule.
func expand(t *testing.T, text string, data evaluated) string {
	t.Helper()
	return expandAfter(t, "{{- $labels := .Labels -}}{{- $values := .Values -}}{{- $value := .Value -}}", text, data, "missingkey=invalid")
}

func expandAfter(t *testing.T, defined, text string, data any, options ...string) string {
	t.Helper()
	expanded, err := template.NewTemplateExpander(t.Context(), defined+text, "__alert_rule", data, 0, nil, &url.URL{}, options).Expand()
	require.NoError(t, err, text)
	for _, odd := range []string{"<no value>", "NaN", "Inf", "%!", "{", "<nil>"} {
		require.NotContains(t, expanded, odd)
	}
	return expanded
}

// Grafana expands the texts of all rules at every evaluation, so also at the first one,
// before an engine has a metric.
func TestTheTextsOfGrafanasRulesExpandWhateverCameBack(t *testing.T) {
	labels := map[string]string{"model": "m", "gpu": "3", "gpu_host": "h", "device": "mlx5_0", "instance": "i", "role": "decode", "system": "vllm"}
	with := func(r rule, v float64) map[string]captured {
		values := map[string]captured{}
		for _, n := range r.Data {
			values[n.RefID] = captured{Labels: labels, Value: v}
		}
		return values
	}
	// noData are the labels that Grafana gives a query without data.
	noData := map[string]string{"datasource_uid": "pdmonitor", "ref_id": "waiting,decode"}
	named := 0
	for _, r := range grafanaRules(t) {
		t.Run(r.Title, func(t *testing.T) {
			texts := maps.Clone(r.Annotations)
			for name, text := range r.Labels {
				texts["label "+name] = text
			}
			all := func(e evaluated) map[string]string {
				expanded := map[string]string{}
				for name, text := range texts {
					expanded[name] = expand(t, text, e)
					require.NotEmpty(t, expanded[name])
				}
				return expanded
			}
			whole := all(evaluated{Labels: labels, Values: with(r, 0.25), Value: 0.25})["description"]
			require.NotContains(t, whole, "no value")
			require.NotContains(t, whole, "unnamed")
			if strings.Contains(r.Annotations["description"], "$values") {
				named++
				require.Regexp(t, `\b(250m|25%)`, whole)
				require.Regexp(t, `\b(1.235k|1.235e\+05%)`, all(evaluated{Labels: labels, Values: with(r, 1234.6), Value: 1234.6})["description"])
			}
			for name, e := range map[string]evaluated{
				"no data":           {Labels: noData, Value: ""},
				"no data, no label": {Value: ""},
				"an error":          {Labels: map[string]string{}, Values: map[string]captured{}, Value: ""},
				"NaN":               {Labels: labels, Values: with(r, math.NaN()), Value: math.NaN()},
				"infinite":          {Labels: labels, Values: with(r, math.Inf(1)), Value: math.Inf(1)},
				"less than all":     {Labels: labels, Values: with(r, math.Inf(-1)), Value: math.Inf(-1)},
			} {
				expanded := all(e)["description"]
				require.Equal(t, strings.Contains(r.Annotations["description"], "$values"), strings.Contains(expanded, "no value"), name)
			}
			for _, n := range r.Data {
				one := with(r, 2)
				delete(one, n.RefID)
				all(evaluated{Labels: labels, Values: one, Value: "[ var='A' ]"})
			}
		})
	}
	require.Greater(t, named, 30, "nearly all rules name the number")
}

func TestATextOfARuleWithAndWithoutData(t *testing.T) {
	text := grafanaRules(t)[0].Annotations["description"]
	values := map[string]captured{"prefill_now": {Value: 12.5}}
	require.Equal(t, "Prefill of m finishes 12.5 req/s, over a tenth more than decode, and requests wait on decode: the backlog between them grows until KV memory ends it.",
		expand(t, text, evaluated{Labels: map[string]string{"model": "m"}, Values: values}))
	require.Equal(t, "Prefill of an unnamed model finishes no value req/s, over a tenth more than decode, and requests wait on decode: the backlog between them grows until KV memory ends it.",
		expand(t, text, evaluated{}))
}

// An alert of Prometheus always has its number, which a comparison with NaN does not
// let through.
func TestTheTextsOfPrometheusRulesExpand(t *testing.T) {
	made, err := rules.Prometheus(rules.All(rules.DefaultTargets()), source(t, defaultCluster()))
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	require.NoError(t, yaml.Unmarshal(made.YAML, &file))
	expanded := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			for _, labels := range []map[string]string{nil, {"model": "m", "gpu": "3"}} {
				for _, v := range []float64{0, 0.25, 1e9} {
					data := template.AlertTemplateData(labels, nil, "", promql.Sample{F: v})
					for _, text := range r.Annotations {
						require.NotEmpty(t, expandAfter(t, "{{$labels := .Labels}}{{$value := .Value}}", text, data))
						expanded++
					}
				}
			}
		}
	}
	require.Greater(t, expanded, 100)
}
