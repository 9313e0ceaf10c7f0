package frames

import (
	"math"
	"strconv"
	"strings"
)

// counted prints "1 value", "1,234 values"; a noun that ends in s stays as it is.
func counted(n int, noun string) string {
	if n != 1 && !strings.HasSuffix(noun, "s") {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped prints n ≥ 0 with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// measured prints a bucket's bound in a Grafana unit the way a person would.
func measured(v float64, unit string) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	switch {
	case unit == "s" && math.Abs(v) < 1e-3:
		return number(v*1e6) + " µs"
	case unit == "s" && math.Abs(v) < 1:
		return number(v*1e3) + " ms"
	case unit == "s":
		return number(v) + " s"
	case unit == "percentunit":
		return number(v*100) + " %"
	case unit == "bytes":
		return number(v) + " B"
	default:
		return number(v)
	}
}
