package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// FromInstance reads and validates the settings that Grafana stored. The error
// joins everything that is wrong, one line each with field, value and remedy,
// and never shows a secret. Entries of requestSizes that are wrong are no error:
// they stop the numbers of their models only, and Faults tells them. Where the error
// is nil the SDK's HTTP options can be built without the panic that a wrongly typed
// key causes there.
func FromInstance(_ context.Context, instance backend.DataSourceInstanceSettings) (Settings, error) {
	fields, err := topLevel(instance.JSONData)
	if err != nil {
		return Settings{}, err
	}
	r := &reader{fields: fields}
	r.checkGrafanaKeys()
	s := r.settings(instance.URL)
	if len(r.errs) > 0 {
		return Settings{}, errors.Join(append(r.errs, s.RequestSizes.Faults()...)...)
	}
	return s, nil
}

// settings reads every field of Stored.
func (r *reader) settings(address string) Settings {
	own, known := r.catalog("catalog")
	return Settings{
		Catalog:               own,
		URL:                   r.url(address),
		ScrapeInterval:        r.duration("scrapeInterval", 0),
		RankStrategy:          choice(r, "rankStrategy", compile.RankStrategies...),
		Prefixes:              r.prefixes("prefixes"),
		Roles:                 r.roles("roles"),
		Labels:                r.labels("labels"),
		RequestSizes:          r.requestSizes("requestSizes"),
		KVSource:              r.kvSource("kvSource", known),
		CustomQueryParameters: r.parameters("customQueryParameters"),
		HTTPMethod:            r.method("httpMethod"),
		OAuthPassThru:         r.fields["oauthPassThru"] == true, // checkGrafanaKeys tells what is wrong with it
		ForwardGrafanaID:      r.onOff("forwardGrafanaId", false),
		Timeout:               r.timeout("timeout"),
		SeriesLimit:           r.limit("seriesLimit"),
		Cache:                 r.onOff("cache", true),
		CacheSize:             r.between("cacheSize", 1, 16<<10, defaultCacheSize),
		ConcurrentQueries:     r.between("concurrentQueries", 1, 1000, defaultConcurrentQueries),
		ResponseSize:          r.between("responseSize", 1, 4<<10, defaultResponseSize),
	}
}

// topLevel splits jsonData into its keys. Numbers stay as they were written, so
// that byte counts keep every digit.
func topLevel(jsonData json.RawMessage) (map[string]any, error) {
	text := bytes.TrimSpace(jsonData)
	if len(text) == 0 {
		return nil, nil
	}
	if text[0] != '{' && !bytes.Equal(text, []byte("null")) {
		return nil, errors.New("jsonData is not an object: write the settings as {\"field\": value, …}")
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("jsonData is not valid JSON: %w", err)
	}
	return fields, nil
}

func (r *reader) url(address string) string {
	address = strings.TrimSpace(address)
	const remedy = "give the address of the server, for example http://prometheus:9090"
	if address == "" {
		return "" // enough to compile with; who needs a server says that none is set
	}
	parsed, err := url.Parse(address)
	switch {
	// The text is not quoted, nor is the parser's error: both may hold a password.
	case err != nil:
		r.fail("url", "cannot be read: %s", remedy)
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		r.fail("url", "does not begin with http:// or https://: %s", remedy)
	case parsed.Hostname() == "":
		r.fail("url", "has no host: %s", remedy)
	}
	return address
}

// reserved are the parameters that queries themselves set.
var reserved = map[string]bool{"query": true, "start": true, "end": true, "step": true, "time": true, "match[]": true}

func (r *reader) parameters(field string) url.Values {
	text := strings.TrimPrefix(strings.TrimSpace(r.text(field)), "?")
	if text == "" {
		return nil
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		// Not quoted: parameters often carry a token.
		r.fail(field, "cannot be read: write name=value pairs joined by &, with special characters escaped as %%XX")
		return nil
	}
	for _, name := range sortedKeys(values) {
		if reserved[name] {
			r.fail(field, "sets %q, which queries set themselves: remove it", name)
		}
	}
	return values
}

func (r *reader) method(field string) string {
	text := r.text(field)
	method := HTTPMethod(strings.ToUpper(text))
	switch {
	case method == "":
		method = HTTPMethods[0]
	case !slices.Contains(HTTPMethods, method):
		r.fail(field, "is %s: use %s or %s", excerpt.Quoted(text), HTTPMethods[0], HTTPMethods[1])
		method = HTTPMethods[0]
	}
	return string(method)
}
