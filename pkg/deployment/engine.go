package deployment

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
)

// placeLabels say where a target is, if the scrape or the way to the server adds them. Engines
// of two clusters or namespaces may have all other labels in common.
var placeLabels = []string{"cluster", "namespace"}

// hostLabels tell the hosts of targets apart.
var hostLabels = []string{"node", "pod"}

// NodeLabels tell the nodes of one engine apart where another label identifies the engine.
func NodeLabels() []string { return []string{model.InstanceLabel, "host", "hostname", "node", "pod"} }

// PlaceLabels are those of the labels seen that say where a target is.
func PlaceLabels(seen []string) []string {
	return slices.DeleteFunc(slices.Clone(placeLabels), func(label string) bool { return !slices.Contains(seen, label) })
}

// TargetLabels tell targets apart where it is not known which labels the server's series have,
// beside instance and job.
func TargetLabels() []string { return slices.Concat(placeLabels, hostLabels) }

// EngineLabels are the labels by which two series are of the same engine: those of its target,
// instance and job and where it is. group is the label that identifies an engine over several
// nodes, "" where an instance is one. seen are the labels that the engines' series have, nil where
// that is not known.
func EngineLabels(group string, seen []string) []string {
	labels, more := []string{model.InstanceLabel, model.JobLabel}, TargetLabels()
	if group != "" {
		labels, more = []string{group}, placeLabels
	}
	for _, label := range more {
		if slices.Contains(seen, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// AnyEngineLabels are EngineLabels where a label that is on no series does no harm.
func AnyEngineLabels(group string) []string { return EngineLabels(group, TargetLabels()) }

// Engine identifies the engine of a series: its name, the value of the first of names that it
// has, and where that is. The job is no part of it: an engine that two jobs scrape is one.
type Engine struct{ Name, Cluster, Namespace string }

// Compare orders engines by name, then by place.
func (e Engine) Compare(other Engine) int {
	return cmp.Or(cmp.Compare(e.Name, other.Name), cmp.Compare(e.Cluster, other.Cluster), cmp.Compare(e.Namespace, other.Namespace))
}

// Place is where the engine is, "" where that is not told.
func (e Engine) Place() string {
	return strings.Trim(e.Cluster+"/"+e.Namespace, "/")
}

// EngineOf is the engine of a series. group is as in EngineLabels; an engine without it is known
// by its instance.
func EngineOf(metric model.Metric, group string) Engine {
	e := Engine{Cluster: string(metric["cluster"]), Namespace: string(metric["namespace"])}
	if value, ok := metric[model.LabelName(group)]; ok && group != "" {
		e.Name = string(value)
		return e
	}
	e.Name = string(metric[model.InstanceLabel])
	return e
}
