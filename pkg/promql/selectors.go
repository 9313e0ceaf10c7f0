package promql

import (
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Selectors are the series selectors of an expression, in the order of the text; what
// is changed in one is changed in the expression. The second argument of info() is none:
// its matchers choose labels to add, and series that find none of them are dropped.
func Selectors(e Expr) []*parser.VectorSelector {
	var found []*parser.VectorSelector
	parser.Inspect(e, func(node parser.Node, above []parser.Node) error {
		s, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		if len(above) > 0 {
			if call, ok := above[len(above)-1].(*parser.Call); ok && call.Func.Name == "info" && len(call.Args) > 1 && call.Args[1] == parser.Expr(s) {
				return nil
			}
		}
		found = append(found, s)
		return nil
	})
	return found
}

// Metric is the name that all series of a selector have, "" where they may have several.
func Metric(s *parser.VectorSelector) string {
	for _, m := range s.LabelMatchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return ""
}
