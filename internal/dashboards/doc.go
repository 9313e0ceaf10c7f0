// Package dashboards makes the dashboards that ship with the plugin. They are
// code so that every panel names a signal of the catalog, takes its unit from
// there and has the same colour for the same stage; the JSON in dashboards/ is
// what `mage dashboards` writes and is never edited by hand.
package dashboards
