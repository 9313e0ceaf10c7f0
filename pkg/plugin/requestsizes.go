package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/common/model"
	"golang.org/x/sync/errgroup"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// measuredOver is the range over which sizes are measured: long enough for the
// requests in flight at its ends not to matter.
const measuredOver = 5 * time.Minute

// ModelSize is what is known of the KV bytes of one model's requests.
type ModelSize struct {
	Model string `json:"model"`
	// ConfiguredBytes of a request, 0 where no size is configured.
	ConfiguredBytes int64  `json:"configuredBytes"`
	Derivation      string `json:"derivation"`
	// Preset that the model's name suggests, "" for none. It is never applied by itself.
	Preset string `json:"preset"`
	// Measured is what the cluster really moves, nil where nothing was counted.
	Measured *MeasuredSize `json:"measured"`
	// InputTokens is the mean prompt length, 0 where it is not known.
	InputTokens float64 `json:"inputTokens"`
	// Ratio is measured ÷ configured, 0 where one of the two is missing.
	Ratio float64 `json:"ratio"`
	// Meaning of the ratio in words, and how much it matters.
	Meaning  string         `json:"meaning"`
	Severity query.Severity `json:"severity"`

	size kvcache.Size // that is configured
}

// MeasuredSize is KV bytes moved over requests served.
type MeasuredSize struct {
	System          string  `json:"system"`
	BytesPerRequest float64 `json:"bytesPerRequest"`
	// Requests that prefill served in the window, about.
	Requests float64 `json:"requests"`
	Window   string  `json:"window"`
}

// ModelSizes is the answer of GET /request-sizes.
type ModelSizes struct {
	Models  []ModelSize    `json:"models"`
	Notices []query.Notice `json:"notices"`
}

func (d *Datasource) getRequestSizes(r *http.Request) (any, error) {
	if err := d.reachable(); err != nil {
		return nil, err
	}
	return d.requestSizes(r.Context(), time.Now())
}

// requestSizes holds what is configured for each model on the server against what
// is measured there. A measurement that fails is a notice.
func (d *Datasource) requestSizes(ctx context.Context, now time.Time) (ModelSizes, error) {
	found, unknown, err := d.deployment(ctx, d.cache.Get, discovery.Fresh, discovery.Window{From: now.Add(-measuredOver), To: now})
	if err != nil {
		return ModelSizes{}, err
	}
	out := ModelSizes{Models: []ModelSize{}, Notices: []query.Notice{}}
	if unknown != nil {
		out.Notices = append(out.Notices, *unknown)
	}
	if found == nil {
		return out, nil
	}
	signals := []string{"kv_bytes_per_request_measured", "prefill_request_rate", "input_tokens_per_request_measured"}
	measured := make([]map[string]measurement, len(signals))
	failures := make([]error, len(signals))
	var g errgroup.Group
	for i, signal := range signals {
		g.Go(func() error {
			measured[i], failures[i] = d.byModel(ctx, signal, now)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return ModelSizes{}, err
	}
	for i, err := range failures {
		if err != nil {
			out.Notices = append(out.Notices, notice.NotMeasured.Of(signals[i], explain(err).message))
		}
	}
	for _, name := range found.Models() {
		one := d.configured(name)
		one.InputTokens = measured[2][name].value
		if m, ok := measured[0][name]; ok {
			one.Measured = &MeasuredSize{
				System: m.system, BytesPerRequest: m.value, Window: model.Duration(measuredOver).String(),
				Requests: math.Round(measured[1][name].value * measuredOver.Seconds()),
			}
			one.compare()
		}
		out.Models = append(out.Models, one)
	}
	return out, nil
}

// configured is what the settings say of a model. Their faults are the health
// check's to report.
func (d *Datasource) configured(name string) ModelSize {
	one := ModelSize{Model: name, Severity: query.SeverityInfo}
	if preset, ok := kvcache.Suggest(name); ok {
		one.Preset = preset.Name
	}
	if size, ok := d.settings.RequestSizes.For(name); ok {
		if bytes, err := size.Bytes(); err == nil {
			one.ConfiguredBytes, one.Derivation = bytes.PerRequest, bytes.Derivation
			one.size = size
		}
	}
	return one
}

// fewRequests are too few for a measured size to be trusted.
const fewRequests = 60

// compare puts measured ÷ configured into words.
func (m *ModelSize) compare() {
	if m.ConfiguredBytes == 0 {
		return
	}
	m.Ratio = m.Measured.BytesPerRequest / float64(m.ConfiguredBytes)
	note, ok := m.size.Compare(m.Ratio, m.InputTokens)
	if !ok {
		return
	}
	m.Meaning = note.Text
	switch {
	case m.Measured.Requests < fewRequests:
		m.Meaning = fmt.Sprintf("Only %.0f requests were counted, too few to tell. %s", m.Measured.Requests, note.Text)
	case note.Warning:
		m.Severity = query.SeverityWarning
	}
}

// measurement is the newest value of one model.
type measurement struct {
	system string
	value  float64
}

// byModel asks for one number of every model.
func (d *Datasource) byModel(ctx context.Context, signal string, now time.Time) (map[string]measurement, error) {
	text, err := json.Marshal(query.Query{
		Signal: signal, GroupBy: []string{"model"}, RateMode: query.RateWindow, Format: query.FormatTable,
		Window: model.Duration(measuredOver).String(),
	}.WithDefaults())
	if err != nil {
		return nil, fmt.Errorf("query of %s: %w", signal, err)
	}
	p, err := d.prepare(ctx, backend.DataQuery{JSON: text, TimeRange: backend.TimeRange{From: now.Add(-measuredOver), To: now}})
	if err != nil {
		return nil, err
	}
	found := map[string]measurement{}
	for _, e := range p.plan.Expressions {
		result, err := d.run(ctx, p, e)
		if err != nil {
			return found, err
		}
		for name, value := range newest(result.Value, e, p.query) {
			if value > 0 && !math.IsInf(value, 0) {
				found[name] = measurement{e.Labels["system"], value + added(p.plan.Kind, found[name].value)}
			}
		}
	}
	return found, nil
}

// added is what a value adds to: rates of two exporters make one rate, while their
// ratios have no sum.
func added(kind catalog.Kind, before float64) float64 {
	if kind == catalog.KindRate {
		return before
	}
	return 0
}
