package prom

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/common/model"
)

// LabelValues lists the values of a label, sorted as the server sorts them, over
// the series that any of matchers selects (all when there are none) between start
// and end; a zero time leaves that end open. The error is always an *Error.
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
