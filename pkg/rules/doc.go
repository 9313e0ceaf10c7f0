// Package rules holds the alert rules that ship with the data source, each defined
// once in terms of signals, and renders them for Prometheus and for Grafana.
//
// A [Rule] is a condition over semantic queries. For Prometheus the compiler turns
// the queries into PromQL, so that a rule counts what a panel shows; for Grafana they
// are stored as they are and the data source compiles them when the rule is
// evaluated. The package is pure: it does no I/O, and the same rules, settings and
// deployment give the same bytes.
//
// Three choices hold for all rules. A condition adds, multiplies and compares and
// never divides, so that an idle cluster gives no NaN. What is added up over time is
// held for longer than its window, so that one burst, such as that of a restart, is
// over before a rule can fire. And where nothing is measured nothing fires, but for
// the rules about missing metrics, whose subject that is.
package rules
