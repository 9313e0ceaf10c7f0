//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	sdktext "github.com/grafana/grafana-foundation-sdk/go/text"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// text is words in Markdown that graphs cannot say.
type text struct {
	title, content string
	width          uint32
}

func (t text) build(_ *catalog.Catalog, id, height uint32) (cog.Builder[dashboard.Panel], error) {
	return sdktext.NewPanelBuilder().
		Id(id).
		Title(t.title).
		Span(t.width).
		Height(height).
		Mode(sdktext.TextModeMarkdown).
		Content(t.content), nil
}
