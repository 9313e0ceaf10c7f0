package kvcache

import "fmt"

// Note is one sentence that travels with a size: a default that was taken, or a
// doubt that the reader should settle.
type Note struct {
	// Warning is set where the number may be wrong for the reader's deployment.
	Warning bool
	Text    string
}

func info(format string, args ...any) Note { return Note{Text: fmt.Sprintf(format, args...)} }

func warning(format string, args ...any) Note {
	return Note{Warning: true, Text: fmt.Sprintf(format, args...)}
}
