// Package excerpt repeats in a message what a user wrote: enough to recognise it,
// never so much that the message drowns in it.
package excerpt

import (
	"encoding/json"
	"strconv"
)

// longest is how many runes of a text are repeated.
const longest = 80

// Of is text, cut after 80 runes.
func Of(text string) string {
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest]) + "…"
}

// Quoted is text in quotes, cut after 80 runes.
func Quoted(text string) string {
	return strconv.Quote(Of(text))
}

// Value says what a value of JSON decoded with UseNumber is, as in
// "scrapeInterval is the number 15".
func Value(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(value)
	case json.Number:
		return "the number " + Of(value.String())
	case string:
		return "the text " + Quoted(value)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
