package rules

import "strings"

// Runbook is where the paragraphs about the alerts are found.
const Runbook = "https://github.com/ptd-monitor/pdmonitor/blob/main/docs/alerts.md"

// unnamed are the labels that a description may name, and what it says where a series
// lacks one: Grafana expands the texts of a rule also when nothing came back.
var unnamed = [][2]string{
	{"model", "an unnamed model"},
	{"gpu", "without a number"},
	{"gpu_host", "an unnamed host"},
	{"device", "An unnamed port"}, // begins its sentence
	{"instance", "an unnamed instance"},
}

// annotations fill in the number, which the template engine calls value. Grafana may
// lack it, or have NaN in its place: it expands the texts of a rule at every
// evaluation, whatever came back, and a template that fails is an error in its log.
func (r Rule) annotations(value string, mayLack bool) map[string]string {
	number := func(format string) string {
		if !mayLack {
			return "{{ " + format + " " + value + " }}"
		}
		return "{{ with " + value + " }}{{ " + format + ` .Value | reReplaceAll ".*(NaN|Inf).*" "no value" }}{{ else }}no value{{ end }}`
	}
	filled := []string{"{value}", number("humanize"), "{share}", number("humanizePercentage")}
	for _, label := range unnamed {
		filled = append(filled, "{"+label[0]+"}", "{{ or $labels."+label[0]+` "`+label[1]+`" }}`)
	}
	return map[string]string{
		"summary":     r.Summary,
		"description": strings.NewReplacer(filled...).Replace(r.Description),
		"runbook_url": Runbook + "#" + r.Anchor(),
	}
}

// Anchor is the heading of the alert's paragraph in docs/alerts.md.
func (r Rule) Anchor() string { return strings.ToLower(r.Name) }
