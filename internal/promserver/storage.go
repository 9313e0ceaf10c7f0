package promserver

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/tsdb"
)

// openDB opens the database in dir. A temporary folder is never read again, so
// no write-ahead log is kept for it.
func openDB(dir string, temporary bool, c Config, registry prometheus.Registerer) (*tsdb.DB, error) {
	options := tsdb.DefaultOptions()
	options.RetentionDuration = c.Retention.Milliseconds()
	// The default of 16,384 lock stripes costs megabytes which a few thousand
	// series do not need.
	options.StripeSize = 1024
	options.OutOfOrderTimeWindow = c.OutOfOrder.Milliseconds()
	if temporary {
		options.WALSegmentSize = -1
	}
	db, err := tsdb.Open(dir, c.Logger, registry, options, tsdb.NewDBStats())
	if err != nil {
		return nil, fmt.Errorf("promserver: opening the database in %s: %w", dir, err)
	}
	return db, nil
}
