package rules_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// provisioned is what Grafana's provisioning reads of a file of alert rules.
type provisioned struct {
	APIVersion int `yaml:"apiVersion"`
	Groups     []struct {
		OrgID    int    `yaml:"orgId"`
		Name     string `yaml:"name"`
		Folder   string `yaml:"folder"`
		Interval string `yaml:"interval"`
		Rules    []rule `yaml:"rules"`
	} `yaml:"groups"`
}

type rule struct {
	UID          string            `yaml:"uid"`
	Title        string            `yaml:"title"`
	Condition    string            `yaml:"condition"`
	Data         []node            `yaml:"data"`
	NoDataState  string            `yaml:"noDataState"`
	ExecErrState string            `yaml:"execErrState"`
	For          string            `yaml:"for"`
	Labels       map[string]string `yaml:"labels"`
	Annotations  map[string]string `yaml:"annotations"`
}

type node struct {
	RefID         string `yaml:"refId"`
	DatasourceUID string `yaml:"datasourceUid"`
	Range         struct {
		From int `yaml:"from"`
		To   int `yaml:"to"`
	} `yaml:"relativeTimeRange"`
	Model map[string]any `yaml:"model"`
}

const provisionedFile = "../../provisioning/alerting/pdmonitor.yaml"

func grafanaRules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile(provisionedFile)
	require.NoError(t, err)
	require.NotContains(t, string(text), "$$", "models and annotations are taken as they stand")
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var file provisioned
	require.NoError(t, decoder.Decode(&file))
	require.Equal(t, 1, file.APIVersion)
	var all []rule
	for _, g := range file.Groups {
		interval, err := model.ParseDuration(g.Interval)
		require.NoError(t, err)
		require.Zero(t, time.Duration(interval)%(10*time.Second), "Grafana's scheduler ticks every ten seconds")
		require.NotEmpty(t, g.Folder)
		all = append(all, g.Rules...)
	}
	return all
}

func TestTheProvisionedRulesAreUpToDate(t *testing.T) {
	made, err := rules.Grafana(rules.All(rules.DefaultTargets()), rules.ProvisionedSource)
	require.NoError(t, err)
	stored, err := os.ReadFile(provisionedFile)
	require.NoError(t, err)
	require.True(t, bytes.Equal(made, stored), "run go tool mage rules")
}

func TestProvisionedRulesAreWhatGrafanaTakes(t *testing.T) {
	variable := regexp.MustCompile(`\$\{(\w+)\}`)
	var uids, titles []string
	for _, r := range grafanaRules(t) {
		t.Run(r.Title, func(t *testing.T) {
			require.LessOrEqual(t, len(r.UID), 40)
			require.Regexp(t, `^[a-z0-9-]+$`, r.UID)
			require.NotContains(t, uids, r.UID)
			require.NotContains(t, titles, r.Title)
			uids, titles = append(uids, r.UID), append(titles, r.Title)
			_, err := model.ParseDuration(r.For)
			require.NoError(t, err)
			missing := strings.HasSuffix(r.Title, "MetricsMissing")
			if missing {
				require.Equal(t, []string{"Alerting", "Alerting"}, []string{r.NoDataState, r.ExecErrState})
			} else {
				require.Equal(t, []string{"OK", "KeepLast"}, []string{r.NoDataState, r.ExecErrState})
			}
			require.Contains(t, []string{"critical", "warning"}, r.Labels["severity"])
			for _, expanded := range append(slices.Collect(maps.Values(r.Labels)), r.UID, r.Title) {
				require.NotContains(t, expanded, "$", "Grafana takes it for an environment variable here")
			}
			require.NotContains(t, r.Annotations["description"], "{value}")
			var seen []string
			for _, n := range r.Data {
				require.Equal(t, n.RefID, n.Model["refId"])
				require.NotContains(t, seen, n.RefID)
				switch n.Model["type"] {
				case nil:
					require.Equal(t, "pdmonitor", n.DatasourceUID)
					require.Positive(t, n.Range.From)
				case "math":
					for _, name := range variable.FindAllStringSubmatch(n.Model["expression"].(string), -1) {
						require.Contains(t, seen, name[1])
					}
				case "reduce", "threshold":
					require.Contains(t, seen, n.Model["expression"])
				default:
					require.Fail(t, "unknown node", "%v", n.Model["type"])
				}
				seen = append(seen, n.RefID)
			}
			last := r.Data[len(r.Data)-1]
			require.Equal(t, r.Condition, last.RefID)
			require.Equal(t, "threshold", last.Model["type"], "NaN must not fire")
		})
	}
}

// Each query compiles for every system that exports its signal.
func TestEveryQueryOfTheRulesCompiles(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	sizes := source(t, defaultCluster()).Options.Sizes
	for _, r := range grafanaRules(t) {
		for _, n := range r.Data {
			if n.DatasourceUID != "pdmonitor" {
				continue
			}
			text, err := json.Marshal(n.Model)
			require.NoError(t, err)
			q, err := query.Parse(text)
			require.NoError(t, err)
			signal, ok := known.Signal(q.Signal)
			require.True(t, ok, q.Signal)
			systems := []string{q.System}
			if q.System == query.SystemAuto {
				systems = nil
				for _, b := range known.Bindings(signal) {
					systems = append(systems, b.System)
				}
			}
			for _, system := range slices.Compact(systems) {
				q.System = system
				plan, err := compile.New(known).Compile(compile.Request{Query: q, Options: compile.Options{Sizes: sizes}})
				require.NoError(t, err)
				require.NotEmpty(t, plan.Expressions, "%s: %s of %s: %v", r.Title, q.Signal, system, plan.Notices)
			}
		}
	}
}

// Grafana compares the series of two queries where the labels of one are among those of
// the other, and drops the rest without a word.
func TestGrafanaFindsTheSeriesThatARuleCompares(t *testing.T) {
	s := source(t, defaultCluster())
	compiler := compile.New(s.Catalog)
	labels := func(q query.Query) []map[string]string {
		plan, err := compiler.Compile(compile.Request{Query: q, Options: s.Options})
		require.NoError(t, err)
		var sets []map[string]string
		for _, e := range plan.Expressions {
			set := maps.Clone(e.Labels)
			for _, label := range q.GroupBy {
				set[label] = "any"
			}
			sets = append(sets, set)
		}
		return sets
	}
	for _, g := range rules.All(rules.DefaultTargets()) {
		for _, r := range g.Rules {
			for _, c := range r.Cases {
				first := labels(c.Queries[0].Query)
				for _, q := range c.Queries[1:] {
					others := labels(q.Query)
					if len(first) == 1 && len(others) == 1 {
						continue // compared whatever their labels are
					}
					require.True(t, slices.ContainsFunc(first, func(a map[string]string) bool {
						return slices.ContainsFunc(others, func(b map[string]string) bool { return among(a, b) || among(b, a) })
					}), "%s %s: %v, %v", r.Name, c.Name, first, others)
				}
			}
		}
	}
}

// among reports whether all labels of a set are among another's.
func among(a, b map[string]string) bool {
	for name, v := range a {
		if b[name] != v {
			return false
		}
	}
	return true
}

func TestEveryRuleHasItsParagraph(t *testing.T) {
	page, err := os.ReadFile("../../docs/alerts.md")
	require.NoError(t, err)
	var documented, defined []string
	for _, heading := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, heading[1])
	}
	for _, g := range rules.All(rules.DefaultTargets()) {
		for _, r := range g.Rules {
			defined = append(defined, r.Name)
			require.Equal(t, strings.ToLower(r.Name), r.Anchor())
		}
	}
	require.ElementsMatch(t, defined, documented)
	// Signals that the page names exist.
	known, err := catalog.Load()
	require.NoError(t, err)
	for _, name := range regexp.MustCompile("`([a-z]+(?:_[a-z0-9]+)+)`").FindAllStringSubmatch(string(page), -1) {
		if name[1] == "waiting_to_start" {
			continue
		}
		_, ok := known.Signal(name[1])
		require.True(t, ok, name[1])
	}
}
