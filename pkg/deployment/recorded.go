package deployment

import (
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Recorded identifies what recording rules hold of one half of a signal: all series of
// a name that are of one system, exporter and role.
type Recorded struct {
	// Name of the series, see RecordedName.
	Name string
	// System, Exporter and Role are labels of the series; a role is "" where the system
	// tells none.
	System, Exporter string
	Role             query.Role
}

// recordedLevel begins the name of every recorded series: the labels that they keep.
const recordedLevel = "model_instance:"

// RecordedLabels are the logical labels that tell recorded series of one system,
// exporter and role apart.
func RecordedLabels() []string { return []string{"model", "instance"} }

// RecordedPattern is a regular expression of the names of recorded series.
const RecordedPattern = recordedLevel + ".+"

// IsRecorded reports whether a series of this name is of a recording rule, and has
// system, exporter and role as labels.
func IsRecorded(name string) bool { return strings.HasPrefix(name, recordedLevel) }

// RecordedName is the name of a recorded series by Prometheus' convention,
// level:metric:operations. The part is what of a signal that is made of several is
// meant ("bucket", "numerator"), "" for all of it. Values are in the exporter's unit,
// which the name tells where it is not the signal's own.
func RecordedName(signal, part, unit, operation string) string {
	name := recordedLevel + signal
	for _, more := range []string{part, unit} {
		if more != "" {
			name += "_" + strings.NewReplacer("/", "_per_").Replace(strings.ToLower(more))
		}
	}
	return name + ":" + operation
}

// RecordedRate is the operation of a rate over a window.
func RecordedRate(window time.Duration) string { return "rate" + model.Duration(window).String() }

// RecordedWindow is the window of a recorded rate; ok is false when the name is of none.
func RecordedWindow(name string) (window time.Duration, ok bool) {
	operation, isRate := strings.CutPrefix(name[strings.LastIndexByte(name, ':')+1:], "rate")
	parsed, err := model.ParseDuration(operation)
	return time.Duration(parsed), isRate && err == nil
}
