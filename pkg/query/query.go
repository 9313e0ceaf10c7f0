// Package query holds the semantic query: what a panel, an alert rule or the
// command line stores and sends. It knows nothing about engines or PromQL.
package query

// SchemaVersion is the version of the wire form that this package writes.
const SchemaVersion = 1

// Type says how the query is to be read.
type Type string

const (
	// TypeSignal asks for a signal of the catalog.
	TypeSignal Type = "signal"
	// TypePromQL passes Expr through, with the same limits and notices.
	TypePromQL Type = "promql"
	// TypeInventory lists what the server holds of the catalog, as a table.
	TypeInventory Type = "inventory"
)

// Types are all types of queries, that of a new one first.
var Types = []Type{TypeSignal, TypePromQL, TypeInventory}

// Stat says what to compute of a signal. The empty value is the signal's own default.
type Stat string

const (
	// StatDefault leaves the choice to the signal's kind.
	StatDefault Stat = ""
	// StatQuantile is the quantile Query.Quantile of a distribution.
	StatQuantile Stat = "quantile"
	// StatMean is the mean of a distribution.
	StatMean Stat = "mean"
	// StatRate is the number of observations per second of a distribution.
	StatRate Stat = "rate"
	// StatUnder is the share of a distribution's observations up to Query.Limit.
	StatUnder Stat = "under"
	// StatHeatmap is the rate of a distribution's observations in each of its buckets.
	StatHeatmap Stat = "heatmap"
	// StatSkew is the largest over the mean of engines and their data-parallel ranks.
	StatSkew Stat = "skew"
)

// Stats are all statistics, in the order in which texts name them. What is known of
// each is in the catalog's table.
var Stats = []Stat{StatDefault, StatQuantile, StatMean, StatRate, StatUnder, StatHeatmap, StatSkew}

// Role is the part of a request's life that an engine serves.
type Role string

const (
	// RoleAny asks for no role in particular.
	RoleAny Role = ""
	// RolePrefill computes the prompt and sends the KV cache.
	RolePrefill Role = "prefill"
	// RoleDecode receives the KV cache and produces the output.
	RoleDecode Role = "decode"
	// RoleUnified does both on one engine.
	RoleUnified Role = "unified"
)

// Roles are all roles.
var Roles = []Role{RoleAny, RolePrefill, RoleDecode, RoleUnified}

// RateMode says how a counter becomes a rate.
type RateMode string

const (
	// RateAuto is adjacent while every sample is drawn, window when zoomed out.
	RateAuto RateMode = "auto"
	// RateAdjacent is the difference of neighbouring samples over their distance.
	RateAdjacent RateMode = "adjacent"
	// RateWindow is the mean rate over the window.
	RateWindow RateMode = "window"
)

// RateModes are all modes, the default first.
var RateModes = []RateMode{RateAuto, RateAdjacent, RateWindow}

// Format is the shape of the answer.
type Format string

const (
	// FormatTimeSeries is one frame for each series.
	FormatTimeSeries Format = "time_series"
	// FormatTable is one wide table of the newest values.
	FormatTable Format = "table"
)

// Formats are all formats, the default first.
var Formats = []Format{FormatTimeSeries, FormatTable}

// SystemAuto asks for every system that the server holds.
const SystemAuto = "auto"

// Op is a filter's comparison.
type Op string

const (
	// OpEqual keeps series whose label is one of Filter.Values.
	OpEqual Op = "="
	// OpNotEqual drops series whose label is one of Filter.Values.
	OpNotEqual Op = "!="
	// OpMatch keeps series whose label matches one of Filter.Values as regular expressions.
	OpMatch Op = "=~"
	// OpNotMatch drops series whose label matches one of Filter.Values as regular expressions.
	OpNotMatch Op = "!~"
)

// Ops are all operators, the default first.
var Ops = []Op{OpEqual, OpNotEqual, OpMatch, OpNotMatch}

// Filter restricts a query by one logical label.
type Filter struct {
	Label  string   `json:"label"`
	Op     Op       `json:"op"`
	Values []string `json:"values"`
}

// Query is the wire form. Unset fields mean the defaults that WithDefaults fills in.
type Query struct {
	SchemaVersion int     `json:"schemaVersion"`
	QueryType     Type    `json:"queryType"`
	Signal        string  `json:"signal,omitempty"`
	Stat          Stat    `json:"stat,omitempty"`
	Quantile      float64 `json:"quantile,omitempty"` // 0 < q < 1
	// Limit of StatUnder, in the signal's unit; a bucket must end there.
	Limit    float64  `json:"limit,omitempty"`
	GroupBy  []string `json:"groupBy,omitempty"` // logical labels
	Filters  []Filter `json:"filters,omitempty"`
	System   string   `json:"system,omitempty"`
	Role     Role     `json:"role,omitempty"`
	RateMode RateMode `json:"rateMode,omitempty"`
	Window   string   `json:"window,omitempty"` // "", "30s", "5m"
	// BytesPerRequest overrides the configured KV bytes of one request; 0 means not set.
	BytesPerRequest int64  `json:"bytesPerRequest,omitempty"`
	Legend          string `json:"legend,omitempty"` // "{{model}} {{role}}"
	Format          Format `json:"format,omitempty"`
	Expr            string `json:"expr,omitempty"` // TypePromQL
	// Inventory of TypeInventory; signals where it is left out.
	Inventory Inventory `json:"inventory,omitempty"`
}
