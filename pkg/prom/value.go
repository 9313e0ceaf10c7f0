package prom

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/common/model"
)

// valueDecoder reads {"resultType": …, "result": …}.
type valueDecoder struct {
	value model.Value
	// limits of series and points: bytes alone do not bound the memory of many tiny series.
	limits Limits
	series int
	points int

	columns columns
	// texts are the label names and values that were seen: series repeat them.
	texts map[string]string
}

func (d *valueDecoder) decode(dec *jsontext.Decoder) error {
	var kind string
	var early []byte
	err := members(dec, func(name string) (err error) {
		switch {
		case name == "resultType":
			kind, err = readString(dec)
		case name == "result" && kind == "":
			// The type follows the result: some proxy has sorted the keys.
			var raw jsontext.Value
			raw, err = dec.ReadValue()
			early = bytes.Clone(raw)
		case name == "result":
			err = d.read(dec, kind)
		default:
			err = dec.SkipValue()
		}
		return err
	})
	if err == nil && d.value == nil && early != nil {
		err = d.read(jsontext.NewDecoder(bytes.NewReader(early)), kind)
	}
	if err == nil && d.value == nil {
		err = errors.New("there is no result")
	}
	return err
}

func (d *valueDecoder) read(dec *jsontext.Decoder, kind string) error {
	switch kind {
	case "matrix":
		matrix := Matrix{}
		err := items(dec, func() error {
			one, err := d.stream(dec)
			matrix = append(matrix, one)
			return errors.Join(err, d.count(len(one.Values)))
		})
		d.value = matrix
		return err
	case "vector":
		vector := model.Vector{}
		err := items(dec, func() error {
			one, err := d.sample(dec)
			vector = append(vector, one)
			return errors.Join(err, d.count(1))
		})
		d.value = vector
		return err
	case "scalar":
		pair, err := d.pair(dec)
		d.value = &model.Scalar{Timestamp: pair.Timestamp, Value: pair.Value}
		return err
	case "string":
		text := &model.String{}
		d.value = text
		return readWithModel(dec, text)
	default:
		return errors.New("unknown type of result")
	}
}

// count ends the reading with an error when there is too much.
func (d *valueDecoder) count(points int) error {
	d.series++
	d.points += points
	switch {
	case d.series > d.limits.Series:
		return &overLimit{d.limits.Series, "series"}
	case d.points > d.limits.Points:
		return &overLimit{d.limits.Points, "points"}
	}
	return nil
}

func (d *valueDecoder) stream(dec *jsontext.Decoder) (Series, error) {
	var s Series
	err := members(dec, func(name string) (err error) {
		switch name {
		case "metric":
			s.Metric, err = d.metric(dec)
		case "values":
			var raw jsontext.Value
			if raw, err = dec.ReadValue(); err == nil {
				s.Times, s.Values, err = d.columns.add(raw)
			}
		case "histograms":
			s.Native = true
			err = dec.SkipValue()
		default:
			err = dec.SkipValue()
		}
		return err
	})
	return s, err
}

func (d *valueDecoder) sample(dec *jsontext.Decoder) (*model.Sample, error) {
	sample := &model.Sample{}
	err := members(dec, func(name string) (err error) {
		switch name {
		case "metric":
			sample.Metric, err = d.metric(dec)
		case "value":
			var pair model.SamplePair
			pair, err = d.pair(dec)
			sample.Timestamp, sample.Value = pair.Timestamp, pair.Value
		case "histogram":
			var pair model.SampleHistogramPair
			err = readWithModel(dec, &pair)
			sample.Timestamp, sample.Histogram = pair.Timestamp, pair.Histogram
		default:
			err = dec.SkipValue()
		}
		return err
	})
	return sample, err
}

func (d *valueDecoder) metric(dec *jsontext.Decoder) (model.Metric, error) {
	metric := model.Metric{}
	err := elements(dec, '{', func() error {
		name, err := d.text(dec)
		if err != nil {
			return err
		}
		value, err := d.text(dec)
		metric[model.LabelName(name)] = model.LabelValue(value)
		return err
	})
	return metric, err
}

// text is readString for texts that come again and again.
func (d *valueDecoder) text(dec *jsontext.Decoder) (string, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return "", err
	}
	if known, ok := d.texts[string(raw)]; ok {
		return known, nil
	}
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", fmt.Errorf("expected a text, found %s", raw.Kind())
	}
	if d.texts == nil {
		d.texts = map[string]string{}
	}
	text := string(unquoted)
	d.texts[string(raw)] = text
	return text, nil
}

// pair reads [seconds, "value"].
func (d *valueDecoder) pair(dec *jsontext.Decoder) (model.SamplePair, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return model.SamplePair{}, err
	}
	p := pairs{rest: raw}
	at, value, err := p.pair()
	return model.SamplePair{Timestamp: model.Time(at), Value: model.SampleValue(value)}, err
}

// readWithModel leaves rare types to their own decoders.
func readWithModel(dec *jsontext.Decoder, into any) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}
