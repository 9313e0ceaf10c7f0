// Package signalsdoc writes docs/signals.md from the catalog: what can be asked
// for, how each system exports it and what is left out on purpose. The page is
// what `mage docs` writes and is never edited by hand.
package signalsdoc
