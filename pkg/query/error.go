package query

import "fmt"

// FieldError says which field of a query or of the settings is wrong, what it
// holds and what to do about it.
type FieldError struct {
	Field  string
	Value  any
	Remedy string
}

// Error reads "quantile: 1.5 is not allowed: take a number between 0 and 1".
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: %s is not allowed: %s", e.Field, shown(e.Value), e.Remedy)
}

func shown(value any) string {
	if s, ok := value.(string); ok {
		const most = 120
		if len(s) > most {
			s = s[:most] + "…"
		}
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(value)
}
