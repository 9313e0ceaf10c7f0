// Package wire writes src/wire.gen.ts from the Go types and lists of what travels
// between the two halves of the plugin: the query, the settings, the answers of
// resources and the names that their fields take. The file is what `mage wire`
// writes and is never edited by hand.
package wire
