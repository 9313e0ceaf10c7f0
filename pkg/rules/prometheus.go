package rules

import (
	"bytes"
	"fmt"
	"maps"
	"time"

	"github.com/prometheus/common/model"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// interval is how often rules are evaluated; `for` and windows are multiples of it.
const interval = 30 * time.Second

type prometheusFile struct {
	Groups []prometheusGroup `yaml:"groups"`
}

type prometheusGroup struct {
	Name     string           `yaml:"name"`
	Interval string           `yaml:"interval,omitempty"`
	Rules    []prometheusRule `yaml:"rules"`
}

type prometheusRule struct {
	Alert       string            `yaml:"alert,omitempty"`
	Record      string            `yaml:"record,omitempty"`
	Expr        expr              `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// expr is PromQL, which reads better as a block of text than in quotes.
type expr string

// MarshalYAML writes the text as it is.
func (e expr) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.LiteralStyle, Value: string(e)}, nil
}

// Rendered is a file of rules and what to know of it.
type Rendered struct {
	YAML []byte
	// LeftOut names the rules of which nothing here exports what they need: nothing that
	// the deployment holds, and no system of the catalog where that is not known.
	LeftOut []string
	// Unsized names the rules that lack the KV bytes of one request alone, which the
	// options give and nobody exports.
	Unsized []string
}

// Prometheus renders alert rules for Prometheus, one for each system that exports
// what a rule asks for. What a rule asks for wrongly, such as a window of less than
// two samples, is a *query.FieldError.
func Prometheus(groups []Group, s Source) (Rendered, error) {
	var file prometheusFile
	var out Rendered
	for _, g := range groups {
		made := prometheusGroup{Name: g.Name, Interval: model.Duration(interval).String()}
		for _, rule := range g.Rules {
			before := len(made.Rules)
			for _, c := range rule.Cases {
				variants, err := s.variants(c)
				if err != nil {
					return Rendered{}, fmt.Errorf("rule %s: %w", rule.Name, err)
				}
				for _, v := range variants {
					made.Rules = append(made.Rules, rule.prometheus(c, v))
				}
			}
			if len(made.Rules) > before {
				continue
			}
			unsized, err := s.unsized(rule)
			if err != nil {
				return Rendered{}, fmt.Errorf("rule %s: %w", rule.Name, err)
			}
			if unsized {
				out.Unsized = append(out.Unsized, rule.Name)
			} else {
				out.LeftOut = append(out.LeftOut, rule.Name)
			}
		}
		if len(made.Rules) > 0 {
			file.Groups = append(file.Groups, made)
		}
	}
	var err error
	out.YAML, err = written(file)
	return out, err
}

func (r Rule) prometheus(c Case, v variant) prometheusRule {
	labels := r.labels(c)
	maps.Copy(labels, v.labels)
	made := prometheusRule{
		Alert: r.Name, Expr: expr(promql.Pretty(v.expr)), Labels: labels,
		Annotations: r.annotations("$value", false),
	}
	if r.For > 0 {
		made.For = model.Duration(r.For).String()
	}
	return made
}

// labels are what a rule's alerts have by definition.
func (r Rule) labels(c Case) map[string]string {
	labels := map[string]string{"severity": string(r.Severity)}
	if c.Name != "" {
		labels["case"] = c.Name
	}
	return labels
}

// header begins every file.
const header = "# Rules of PD Monitor, printed by `pdmonitor rules`; do not edit. docs/alerts.md says what to do.\n"

func written(file any) ([]byte, error) {
	text := bytes.NewBufferString(header)
	encoder := yaml.NewEncoder(text)
	encoder.SetIndent(2)
	if err := encoder.Encode(file); err != nil {
		return nil, fmt.Errorf("write rules: %w", err)
	}
	return text.Bytes(), encoder.Close()
}
