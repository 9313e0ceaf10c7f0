package kvcache

import "fmt"

// FieldError says what is wrong with one field of a size or of its config.json.
type FieldError struct {
	// Field is the path of the field, such as "kvDtype" or "config.text_config.head_dim".
	Field string
	// Problem goes on after the field's name and ends with what to do.
	Problem string
}

// Error reads "config.head_dim is missing: give …".
func (e *FieldError) Error() string { return e.Field + " " + e.Problem }

func fieldError(field, format string, args ...any) error {
	return &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)}
}
