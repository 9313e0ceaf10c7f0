package query

// Inventory is what a query of TypeInventory lists.
type Inventory string

const (
	// InventorySignals lists each signal of each system that the server holds.
	InventorySignals Inventory = "signals"
	// InventorySystems lists the systems of the catalog and what was found of each.
	InventorySystems Inventory = "systems"
)

// Inventories are all inventories, the default first.
var Inventories = []Inventory{InventorySignals, InventorySystems}
