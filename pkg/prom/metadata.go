package prom

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/common/model"
)

// longestAddress is how long the query string of an address may be: proxies take 8 KiB.
const longestAddress = 7 << 10

// LabelValues lists the values of a label, sorted as the server sorts them, over
// the series that any of matchers selects (all when there are none) between start
// and end; a zero time leaves that end open. Prometheus lists them by GET alone: where
// matchers are too long for an address they are read from the series, which go by POST. The
// error is always an *Error.
func (c *Client) LabelValues(ctx context.Context, label string, matchers []string, start, end time.Time) ([]string, error) {
	params := url.Values{}
	if len(matchers) > 0 {
		params["match[]"] = matchers
	}
	if !start.IsZero() {
		params.Set("start", seconds(start.UnixMilli()))
	}
	if !end.IsZero() {
		params.Set("end", seconds(end.UnixMilli()))
	}
	// Names are as many as metrics and their series many more: callers ask for them in parts.
	if c.method == http.MethodPost && len(params.Encode()) > longestAddress && label != model.MetricNameLabel {
		return c.valuesOfSeries(ctx, model.LabelName(label), matchers, start, end)
	}
	// A UTF-8 name cannot stand in a path; the server knows this spelling of it.
	name := model.EscapeName(label, model.ValueEncodingEscaping)
	var values []string
	_, err := c.do(ctx, http.MethodGet, "api/v1/label/"+url.PathEscape(name)+"/values", params, func(dec *jsontext.Decoder) (err error) {
		values, err = readStrings(dec)
		return err
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// valuesOfSeries lists the values that a label has among series, sorted.
func (c *Client) valuesOfSeries(ctx context.Context, label model.LabelName, matchers []string, start, end time.Time) ([]string, error) {
	series, err := c.Series(ctx, matchers, start, end, c.limits.Series)
	if err != nil {
		return nil, err
	}
	if len(series) >= c.limits.Series {
		return nil, downstream(http.StatusUnprocessableEntity, fmt.Sprintf(
			"More than %d series fit these filters, too many to read the values of %s from. Choose fewer or shorter values to filter by.", c.limits.Series, label), nil)
	}
	values := map[string]bool{}
	for _, one := range series {
		if value := one[label]; value != "" {
			values[string(value)] = true
		}
	}
	return slices.Sorted(maps.Keys(values)), nil
}

// Series lists the label sets of the series that any of matchers selects between
// start and end, at most limit of them; a zero time leaves that end open. The error
// is always an *Error.
func (c *Client) Series(ctx context.Context, matchers []string, start, end time.Time, limit int) ([]model.Metric, error) {
	params := url.Values{"match[]": matchers, "limit": {strconv.Itoa(limit)}}
	if !start.IsZero() {
		params.Set("start", seconds(start.UnixMilli()))
	}
	if !end.IsZero() {
		params.Set("end", seconds(end.UnixMilli()))
	}
	var series []model.Metric
	var values valueDecoder
	_, err := c.do(ctx, c.method, "api/v1/series", params, func(dec *jsontext.Decoder) error {
		return items(dec, func() error {
			labels, err := values.metric(dec)
			series = append(series, labels)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return series[:min(len(series), limit)], nil // not every server knows limit
}

// BuildInfo is what a server says of itself; servers other than Prometheus leave
// fields empty.
type BuildInfo struct {
	Application string `json:"application"` // "Grafana Mimir"; "" of Prometheus itself
	Version     string `json:"version"`
	Revision    string `json:"revision"`
	GoVersion   string `json:"goVersion"`
}

// BuildInfo asks the server what it is. Servers without this endpoint answer with
// an *Error of status 404. The error is always an *Error.
func (c *Client) BuildInfo(ctx context.Context) (BuildInfo, error) {
	var info BuildInfo
	_, err := c.do(ctx, http.MethodGet, "api/v1/status/buildinfo", nil, func(dec *jsontext.Decoder) error {
		return readWithModel(dec, &info)
	})
	if err != nil {
		return BuildInfo{}, err
	}
	return info, nil
}
