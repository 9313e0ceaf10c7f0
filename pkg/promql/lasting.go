package promql

import (
	"github.com/prometheus/prometheus/promql/parser"
)

// Lasting reports whether the points of an expression depend on nothing but the
// samples up to their own time, so that they stay right in another range. It is
// false of what it does not know.
func Lasting(e Expr) bool {
	lasting := true
	parser.Inspect(e, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			// An @ fixes a time, which may lie in the future; a negative offset looks
			// ahead, and so does smoothed.
			fixed := n.Timestamp != nil || n.StartOrEnd != 0
			lasting = lasting && !fixed && n.OriginalOffset >= 0 && n.OriginalOffsetExpr == nil && !n.Smoothed
		case *parser.MatrixSelector:
			lasting = lasting && n.RangeExpr == nil
		case *parser.SubqueryExpr:
			fixed := n.Timestamp != nil || n.StartOrEnd != 0
			computed := n.RangeExpr != nil || n.StepExpr != nil || n.OriginalOffsetExpr != nil
			lasting = lasting && !fixed && !computed && n.OriginalOffset >= 0
		case *parser.AggregateExpr:
			// Any series will do for these.
			lasting = lasting && n.Op != parser.LIMITK && n.Op != parser.LIMIT_RATIO
		case *parser.Call:
			switch n.Func.Name {
			case "start", "end", "range", "step": // of the query
				lasting = false
			}
		}
		return nil
	})
	return lasting
}
