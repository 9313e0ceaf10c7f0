package dashboards

import (
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// of asks for a signal, split by logical labels.
func of(signal, legend string, groupBy ...string) query.Query {
	return query.Query{Signal: signal, Legend: legend, GroupBy: groupBy}
}

// byModel is the usual split. The role is part of the legend wherever a system
// reports both roles apart, and empty elsewhere.
func byModel(signal, name string) query.Query { return by(signal, name, "model") }

// by splits by logical labels, all of which are in the legend after the name.
func by(signal, name string, labels ...string) query.Query {
	words := []string{name}
	for _, label := range append(slices.Clone(labels), "role") {
		words = append(words, "{{"+label+"}}")
	}
	return of(signal, strings.TrimSpace(strings.Join(words, " ")), labels...)
}

// on narrows a query to a role, which then need not stand in its legend.
func on(role query.Role, q query.Query) query.Query {
	q.Role = role
	q.Legend = strings.TrimSpace(strings.ReplaceAll(q.Legend, "{{role}}", ""))
	return q
}

// prefilling and decoding are curves of one role in its colour.
func prefilling(q query.Query) curve { return curve{prefillColour, on(query.RolePrefill, q)} }

func decoding(q query.Query) curve { return curve{decodeColour, on(query.RoleDecode, q)} }

// quantiles are three curves of one distribution; each role is a series of its own
// where both report it.
func quantiles(signal string) []curve {
	return []curve{
		{p50Colour, quantile(signal, "P50", 0.50)},
		{p95Colour, quantile(signal, "P95", 0.95)},
		{p99Colour, quantile(signal, "P99", 0.99)},
	}
}

// quantilesOn are the same of one role.
func quantilesOn(role query.Role, signal string) []curve {
	all := quantiles(signal)
	for i := range all {
		all[i].query = on(role, all[i].query)
	}
	return all
}

func quantile(signal, name string, q float64) query.Query {
	asked := byModel(signal, name)
	asked.Stat, asked.Quantile = query.StatQuantile, q
	return asked
}

// spread is the mean of a distribution in the colour of its stage, and its P99.
func spread(colour colour, signal string) []curve {
	return []curve{{colour, mean(signal, "Mean")}, {p99Colour, quantile(signal, "P99", 0.99)}}
}

// spreadOn is the same of one role.
func spreadOn(role query.Role, colour colour, signal string) []curve {
	all := spread(colour, signal)
	for i := range all {
		all[i].query = on(role, all[i].query)
	}
	return all
}

// mean is the mean of a distribution by model.
func mean(signal, name string) query.Query { return averaged(byModel(signal, name)) }

func averaged(q query.Query) query.Query {
	q.Stat = query.StatMean
	return q
}

// skew is the largest over the mean of engines and their data-parallel ranks.
func skew(signal, name string) query.Query {
	asked := byModel(signal, name)
	asked.Stat = query.StatSkew
	return asked
}

// over takes a window of its own.
func over(window string, q query.Query) query.Query {
	q.Window = window
	return q
}
