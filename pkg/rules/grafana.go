package rules

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ProvisionedSource is the uid of the data source that provisioning/ makes.
const ProvisionedSource = "pdmonitor"

const (
	// sourceType is the plugin's id.
	sourceType = "ptd-pdmonitor-datasource"
	// expressions is the uid of Grafana's own expressions.
	expressions = "__expr__"
)

// looksBack is the range of a rule's queries; the newest value in it counts.
const looksBack = 5 * time.Minute

type grafanaFile struct {
	APIVersion int            `yaml:"apiVersion"`
	Groups     []grafanaGroup `yaml:"groups"`
}

type grafanaGroup struct {
	OrgID    int           `yaml:"orgId"`
	Name     string        `yaml:"name"`
	Folder   string        `yaml:"folder"`
	Interval string        `yaml:"interval"`
	Rules    []grafanaRule `yaml:"rules"`
}

type grafanaRule struct {
	UID          string            `yaml:"uid"`
	Title        string            `yaml:"title"`
	Condition    string            `yaml:"condition"`
	Data         []grafanaData     `yaml:"data"`
	NoDataState  string            `yaml:"noDataState"`
	ExecErrState string            `yaml:"execErrState"`
	For          string            `yaml:"for"`
	Labels       map[string]string `yaml:"labels"`
	Annotations  map[string]string `yaml:"annotations"`
}

type grafanaData struct {
	RefID         string         `yaml:"refId"`
	Range         *grafanaRange  `yaml:"relativeTimeRange,omitempty"`
	DataSourceUID string         `yaml:"datasourceUid"`
	Model         map[string]any `yaml:"model"`
}

type grafanaRange struct {
	From int `yaml:"from"` // seconds before now
	To   int `yaml:"to"`
}

// Grafana renders alert rules as a file for Grafana's provisioning, one for each case.
// Their queries are semantic: the data source of the uid source compiles them at every
// evaluation for what its server then holds. Provisioning takes a dollar for the name of
// an environment variable, but not in the models of queries and in annotations, and
// nowhere else is one.
func Grafana(groups []Group, source string) ([]byte, error) {
	file := grafanaFile{APIVersion: 1}
	for _, g := range groups {
		made := grafanaGroup{OrgID: 1, Name: g.Name, Folder: "PD Monitor", Interval: model.Duration(interval).String()}
		for _, rule := range g.Rules {
			for _, c := range rule.Cases {
				one, err := rule.grafana(c, source)
				if err != nil {
					return nil, fmt.Errorf("rule %s: %w", rule.Name, err)
				}
				made.Rules = append(made.Rules, one)
			}
		}
		file.Groups = append(file.Groups, made)
	}
	return written(file)
}

func (r Rule) grafana(c Case, source string) (grafanaRule, error) {
	made := grafanaRule{
		UID: r.Anchor(), Title: r.Name, Condition: "fires",
		// Idle is empty; and a server that does not answer says nothing about the engines,
		// which the rules about missing metrics tell once for all.
		NoDataState: "OK", ExecErrState: "KeepLast",
		For: model.Duration(r.For).String(), Labels: r.labels(c),
		Annotations: r.annotations("$values."+newest(c.Queries[0].Name), true),
	}
	if c.Name != "" {
		made.UID += "-" + strings.ReplaceAll(strings.ToLower(c.Name), " ", "-")
		made.Title += " (" + c.Name + ")"
	}
	if _, ok := c.Fires.(absent); ok {
		made.NoDataState, made.ExecErrState = "Alerting", "Alerting"
	}
	for _, q := range c.Queries {
		asked, err := q.data(source)
		if err != nil {
			return grafanaRule{}, err
		}
		made.Data = append(made.Data, asked)
	}
	for _, q := range c.Queries {
		made.Data = append(made.Data, expressionNode(newest(q.Name), map[string]any{
			"type": "reduce", "expression": q.Name, "reducer": "last", "settings": map[string]any{"mode": "dropNN"},
		}))
	}
	made.Data = append(made.Data, c.threshold()...)
	return made, nil
}

// newest names the node with a query's newest value.
func newest(name string) string { return name + "_now" }

// threshold is the last node of a rule. What it compares may be NaN, which it takes
// for not over the threshold; as a condition of its own NaN would fire.
func (c Case) threshold() []grafanaData {
	node := func(of, comparison string, bound float64) grafanaData {
		return expressionNode("fires", map[string]any{
			"type": "threshold", "expression": of,
			"conditions": []any{map[string]any{"evaluator": map[string]any{"type": comparison, "params": []any{bound}}}},
		})
	}
	simple := func(a, b Term) (string, float64, bool) {
		name, isValue := a.(value)
		bound, isConstant := b.(constant)
		return newest(string(name)), float64(bound), isValue && isConstant
	}
	switch fires := c.Fires.(type) {
	case above:
		if of, bound, ok := simple(fires.a, fires.b); ok {
			return []grafanaData{node(of, "gt", bound)}
		}
	case below:
		if of, bound, ok := simple(fires.a, fires.b); ok {
			return []grafanaData{node(of, "lt", bound)}
		}
	case absent:
		// Never true of a number of requests: no data is what fires.
		return []grafanaData{node(newest(string(fires)), "lt", 0)}
	}
	return []grafanaData{
		expressionNode("breach", map[string]any{"type": "math", "expression": c.Fires.math(newest)}),
		node("breach", "gt", 0),
	}
}

func expressionNode(refID string, model map[string]any) grafanaData {
	model["refId"] = refID
	model["datasource"] = map[string]any{"type": expressions, "uid": expressions}
	return grafanaData{RefID: refID, DataSourceUID: expressions, Model: model}
}

// data is a query as a panel would store it.
func (q Query) data(source string) (grafanaData, error) {
	text, err := json.Marshal(q.Query)
	if err != nil {
		return grafanaData{}, fmt.Errorf("query %s: %w", q.Name, err)
	}
	if _, err := query.Parse(text); err != nil {
		return grafanaData{}, fmt.Errorf("query %s: %w", q.Name, err)
	}
	stored := map[string]any{}
	if err := json.Unmarshal(text, &stored); err != nil {
		return grafanaData{}, fmt.Errorf("query %s: %w", q.Name, err)
	}
	stored["refId"] = q.Name
	stored["datasource"] = map[string]any{"type": sourceType, "uid": source}
	stored["intervalMs"], stored["maxDataPoints"] = interval.Milliseconds(), int(looksBack/interval)
	return grafanaData{
		RefID: q.Name, Range: &grafanaRange{From: int(looksBack.Seconds())},
		DataSourceUID: source, Model: stored,
	}, nil
}
