package dashboards

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// colour is the base of the shades that the series of a query are drawn in.
type colour string

// The stages keep their colours on every panel.
const (
	prefillColour  colour = "blue"
	transferColour colour = "orange"
	decodeColour   colour = "green"
)

// Quantiles go from calm to alarming.
const (
	p50Colour colour = "purple"
	p95Colour colour = "yellow"
	p99Colour colour = "red"
)

// shades gives each series of a query its own shade of the colour, so that models
// differ while the stage stays plain.
func (c colour) shades() []dashboard.DynamicConfigValue {
	return []dashboard.DynamicConfigValue{{
		Id:    "color",
		Value: map[string]string{"mode": string(dashboard.FieldColorModeIdShades), "fixedColor": string(c)},
	}}
}
