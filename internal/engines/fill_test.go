package engines_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/prompb"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/compression"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// all gives every page to several servers.
type all []*server

func (a all) AppendText(ctx context.Context, page []byte, target map[string]string, at time.Time) error {
	for _, s := range a {
		if err := s.pages.AppendText(ctx, page, target, at); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

var _ simulator.Appender = all{}

// importer hands pages to VictoriaMetrics as they are.
type importer struct{ address string }

func (i importer) AppendText(ctx context.Context, page []byte, target map[string]string, at time.Time) error {
	parameters := url.Values{"timestamp": {strconv.FormatInt(at.UnixMilli(), 10)}}
	for name, value := range target {
		parameters.Add("extra_label", name+"="+value)
	}
	return post(ctx, i.address+"?"+parameters.Encode(), page, nil)
}

// remoteWriter sends pages as a remote write. Bucket bounds stay as the page spells
// them, as in the storage of a Prometheus 2 that scraped it.
type remoteWriter struct {
	address string
	parser  parser.Parser
	series  map[string][]prompb.Label // by target and line
}

func newRemoteWriter(address string) *remoteWriter {
	return &remoteWriter{address: address, parser: parser.NewParser(parser.Options{}), series: map[string][]prompb.Label{}}
}

func (w *remoteWriter) AppendText(ctx context.Context, page []byte, target map[string]string, at time.Time) error {
	parsed, err := textparse.New(page, "text/plain; version=0.0.4", labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	var request prompb.WriteRequest
	for {
		entry, err := parsed.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		line, _, value := parsed.Series()
		series, err := w.labels(string(line), target)
		if err != nil {
			return err
		}
		request.Timeseries = append(request.Timeseries, prompb.TimeSeries{
			Labels: series, Samples: []prompb.Sample{{Value: value, Timestamp: at.UnixMilli()}},
		})
	}
	text, err := request.Marshal()
	if err != nil {
		return err
	}
	packed, err := compression.Encode(compression.Snappy, text, nil)
	if err != nil {
		return err
	}
	return post(ctx, w.address, packed, map[string]string{
		"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf", "X-Prometheus-Remote-Write-Version": "0.1.0",
	})
}

// labels are those of a line and of its target, sorted.
func (w *remoteWriter) labels(line string, target map[string]string) ([]prompb.Label, error) {
	key := target["instance"] + " " + strings.TrimSpace(line)
	if known, ok := w.series[key]; ok {
		return known, nil
	}
	own, err := w.parser.ParseMetric(line)
	if err != nil {
		return nil, err
	}
	b := labels.NewBuilder(own)
	for name, value := range target {
		b.Set(name, value)
	}
	var list []prompb.Label
	b.Labels().Range(func(l labels.Label) {
		list = append(list, prompb.Label{Name: l.Name, Value: l.Value})
	})
	w.series[key] = list
	return list, nil
}

func post(ctx context.Context, address string, body []byte, headers map[string]string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	return send(request)
}
