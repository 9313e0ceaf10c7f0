package query

import "github.com/ptd-monitor/pdmonitor/pkg/notice"

// Notice is what travels with the answer to a query.
type Notice = notice.Notice

// Severity is how much a notice matters.
type Severity = notice.Severity

// The severities of notices.
const (
	SeverityInfo    = notice.Info
	SeverityWarning = notice.Warning
	SeverityError   = notice.Error
)
