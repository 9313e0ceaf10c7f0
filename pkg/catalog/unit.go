package catalog

// Conversion leads from an exported unit to the base unit: the value is
// multiplied by Mul, then divided by Div, so that the printed PromQL shows the
// plain number (÷ 1000 and not × 0.001).
type Conversion struct {
	Mul, Div float64
	// Text explains it, "" where nothing is converted.
	Text string
}

// Units holds every exported unit that a binding may name.
var Units = map[string]Conversion{
	"":        {Mul: 1, Div: 1},
	"s":       {Mul: 1, Div: 1},
	"ms":      {Mul: 1, Div: 1000, Text: "ms → s"},
	"us":      {Mul: 1, Div: 1000000, Text: "µs → s"},
	"MiB":     {Mul: 1048576, Div: 1, Text: "MiB → bytes"},
	"percent": {Mul: 1, Div: 100, Text: "percent → share"},
	"min":     {Mul: 60, Div: 1, Text: "minutes → s"},
	"ns":      {Mul: 1, Div: 1000000000, Text: "ns → s"},
	"mJ":      {Mul: 1, Div: 1000, Text: "mJ → J"},
	"MHz":     {Mul: 1000000, Div: 1, Text: "MHz → Hz"},
	"GB/s":    {Mul: 1000000000, Div: 1, Text: "GB/s → bytes/s"},
	"GiB/s":   {Mul: 1073741824, Div: 1, Text: "GiB/s → bytes/s"},
	"words":   {Mul: 4, Div: 1, Text: "words of four bytes → bytes"},
}
