package query

// Severity is how much a notice matters to who reads the number.
type Severity string

const (
	// SeverityInfo explains a choice that was made.
	SeverityInfo Severity = "info"
	// SeverityWarning says that the number may not be what it seems.
	SeverityWarning Severity = "warning"
	// SeverityError says why there is no number.
	SeverityError Severity = "error"
)

// Notice is one plain sentence that travels with an answer.
type Notice struct {
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}
