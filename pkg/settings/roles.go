package settings

import (
	"errors"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// roleNames are the roles that matchers can make.
var roleNames = []string{"prefill", "decode", "unified"}

// roles reads label matchers by role and fills in the defaults. Braces round the
// matchers are taken off, because people copy them from selectors.
func (r *reader) roles(field string) map[string]string {
	roles := defaultRoles()
	configured := r.object(field)
	for _, role := range sortedKeys(configured) {
		path := field + "." + role
		if !slices.Contains(roleNames, role) {
			r.fail(path, "is no role: use %s", strings.Join(roleNames, ", "))
			continue
		}
		text, ok := configured[role].(string)
		if !ok {
			r.fail(path, "is %s: write label matchers as a text", excerpt.Value(configured[role]))
			continue
		}
		matchers, err := RoleMatchers(role, text)
		if err != nil {
			r.fail(path, "is %s: %s", excerpt.Quoted(text), err)
			continue
		}
		if matchers != "" {
			roles[role] = matchers
		}
	}
	return roles
}

// RoleMatchers are the label matchers that make a role, read from what a user wrote:
// without braces, and the role's default, if it has one, where nothing is written. The
// error says what to write.
func RoleMatchers(role, text string) (string, error) {
	matchers := bare(text)
	if matchers == "" {
		return defaultRoles()[role], nil
	}
	if fault := matcherFault(matchers); fault != "" {
		return "", errors.New(fault)
	}
	return matchers, nil
}

// bare takes the braces off "{a=\"b\"}".
func bare(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		if inner, ok := strings.CutSuffix(inner, "}"); ok {
			return strings.TrimSpace(inner)
		}
	}
	return text
}

// matcherFault says what is wrong with matchers and what to write, "" when nothing is.
func matcherFault(matchers string) string {
	const example = `write label matchers such as instance=~"prefill.*",job="llm"`
	parsed, err := parser.NewParser(parser.Options{}).ParseMetricSelector("{" + matchers + "}")
	if err != nil {
		return err.Error() + "; " + example
	}
	for _, m := range parsed {
		if m.Name == model.MetricNameLabel {
			return "it names a metric, but a role holds for all metrics; " + example
		}
	}
	return ""
}
