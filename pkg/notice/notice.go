// Package notice is what travels with an answer in plain words: a code that programs can rely
// on, how much it matters, and a sentence in the reader's language.
package notice

import (
	"fmt"
	"strings"
)

// Severity is how much a notice matters to who reads the number.
type Severity string

const (
	// Info explains a choice that was made.
	Info Severity = "info"
	// Warning says that the number may not be what it seems.
	Warning Severity = "warning"
	// Error says why there is no number.
	Error Severity = "error"
)

// Notice is one sentence that travels with an answer. Two are equal that say the same.
type Notice struct {
	// Code is the same whatever the sentence names and whatever its language.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Text is English.
	Text string `json:"text"`

	chinese string
}

// In is the notice with its text in a language as Grafana names it, such as zh-Hans. What has no
// text in it stays English.
func (n Notice) In(language string) Notice {
	if n.chinese != "" && strings.HasPrefix(strings.ToLower(language), "zh") {
		n.Text = n.chinese
	}
	return n
}

// As is the notice with another severity.
func (n Notice) As(s Severity) Notice {
	n.Severity = s
	return n
}

// Kind is what notices of one code have in common: their severity and a format of the text in
// each language, whose arguments are in the same order.
type Kind struct {
	Code             string
	Severity         Severity
	English, Chinese string
}

// Of is the notice about some arguments.
func (k Kind) Of(args ...any) Notice {
	n := Notice{Code: k.Code, Severity: k.Severity, Text: fmt.Sprintf(k.English, args...)}
	if k.Chinese != "" {
		n.chinese = fmt.Sprintf(k.Chinese, args...)
	}
	return n
}
