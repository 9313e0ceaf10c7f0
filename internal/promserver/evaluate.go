package promserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
)

// Alert is an alert that fired.
type Alert struct {
	// Name of the rule.
	Name string
	// Labels of the alert, without its name; Annotations with the templates filled in.
	Labels, Annotations map[string]string
	// Value of the expression when the alert was last seen firing.
	Value float64
	// First and Last are the first and the last evaluation at which it was firing.
	First, Last time.Time
}

// Evaluate runs a file of Prometheus rules through Prometheus' own rule engine as of
// every step from and including from to to, over what the server holds, and lists the
// alerts that fired, by name and labels. What recording rules record is stored. It
// takes a small part of that time.
func (s *Server) Evaluate(ctx context.Context, file []byte, from, to time.Time, step time.Duration) ([]Alert, error) {
	groups, err := s.ruleGroups(ctx, file, step)
	if err != nil {
		return nil, fmt.Errorf("promserver: loading rules: %w", err)
	}
	fired := map[string]*Alert{}
	for at := from; !at.After(to); at = at.Add(step) {
		for _, g := range groups {
			g.Eval(ctx, at)
			for _, rule := range g.Rules() {
				if err := rule.LastError(); err != nil {
					return nil, fmt.Errorf("promserver: rule %s at %s: %w", rule.Name(), at, err)
				}
				if alerting, ok := rule.(*rules.AlertingRule); ok {
					note(fired, alerting, at)
				}
			}
		}
	}
	list := make([]Alert, 0, len(fired))
	for _, key := range slices.Sorted(maps.Keys(fired)) {
		list = append(list, *fired[key])
	}
	return list, nil
}

// ruleGroups loads the file, in the order of the groups' names.
func (s *Server) ruleGroups(ctx context.Context, file []byte, step time.Duration) ([]*rules.Group, error) {
	path, err := os.CreateTemp(s.dir, "rules-*.yaml")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(path.Name()) }()
	if _, err := path.Write(file); err != nil {
		return nil, errors.Join(err, path.Close())
	}
	if err := path.Close(); err != nil {
		return nil, err
	}
	manager := rules.NewManager(&rules.ManagerOptions{
		ExternalURL:  &url.URL{},
		QueryFunc:    rules.EngineQueryFunc(s.engine, s.db),
		NotifyFunc:   func(context.Context, string, ...*rules.Alert) {},
		Context:      ctx,
		AppendableV2: s.db,
		Queryable:    s.db,
		Parser:       parser.NewParser(parser.Options{}),
	})
	loaded, errs := manager.LoadGroups(step, labels.EmptyLabels(), "", nil, false, path.Name())
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return slices.SortedFunc(maps.Values(loaded), func(a, b *rules.Group) int {
		return strings.Compare(a.Name(), b.Name())
	}), nil
}

// note remembers the alerts of a rule that are firing.
func note(fired map[string]*Alert, rule *rules.AlertingRule, at time.Time) {
	for _, active := range rule.ActiveAlerts() {
		if active.State != rules.StateFiring {
			continue
		}
		key := rule.Name() + active.Labels.String()
		if fired[key] == nil {
			fired[key] = &Alert{Name: rule.Name(), First: at}
		}
		one := fired[key]
		one.Last, one.Value = at, active.Value
		one.Labels, one.Annotations = active.Labels.Map(), active.Annotations.Map()
		delete(one.Labels, model.AlertNameLabel)
	}
}
