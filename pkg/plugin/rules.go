package plugin

import (
	"context"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// Rules is what rules are compiled with: this data source's settings, and what its
// server holds now if it has one.
func (d *Datasource) Rules(ctx context.Context) (rules.Source, error) {
	if d.broken != nil {
		return rules.Source{}, &brokenSettings{d.broken}
	}
	source := rules.Source{Catalog: d.catalog, Options: d.settings.Compile()}
	if d.cache == nil {
		return source, nil
	}
	var err error
	source.Deployment, err = d.cache.Get(ctx, discovery.Fresh, discovery.Window{To: time.Now()})
	return source, err
}
