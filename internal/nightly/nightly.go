// Package nightly tells the tests how much to try: enough to find what is likely to
// break in a run that people wait for, or much more in `go tool mage nightly`.
package nightly

import "os"

// Variable is set in the environment of a nightly run.
const Variable = "PDM_NIGHTLY"

// Or is the first in a run that people wait for, and the second at night.
func Or[T any](waited, night T) T {
	if os.Getenv(Variable) == "" {
		return waited
	}
	return night
}
