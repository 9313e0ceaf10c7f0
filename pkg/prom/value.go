package prom

import (
	"encoding/json"
	"math"
	"strconv"

	jsoniter "github.com/json-iterator/go"
	"github.com/prometheus/common/model"
)

// valueDecoder reads {"resultType": …, "result": …}.
type valueDecoder struct {
	value model.Value
	// most bounds the series that are kept; more make tooMany true and end the
	// reading: bytes alone do not bound the memory of many tiny series.
	most    int
	tooMany bool
}

func (d *valueDecoder) decode(iter *jsoniter.Iterator) {
	var kind string
	var early []byte
	iter.ReadObjectCB(func(iter *jsoniter.Iterator, key string) bool {
		switch {
		case key == "resultType":
			kind = iter.ReadString()
		case key == "result" && kind == "":
			// The type follows the result: some proxy has sorted the keys.
			early = iter.SkipAndReturnBytes()
		case key == "result":
			d.value = d.read(iter, kind)
		default:
			iter.Skip()
		}
		return iter.Error == nil
	})
	if iter.Error != nil {
		return
	}
	if d.value == nil && early != nil {
		inner := jsoniter.ParseBytes(jsoniter.ConfigDefault, early)
		d.value = d.read(inner, kind)
		iter.Error = inner.Error
	}
	if d.value == nil && iter.Error == nil {
		iter.ReportError("read data", "there is no result")
	}
}

func (d *valueDecoder) read(iter *jsoniter.Iterator, kind string) model.Value {
	switch kind {
	case "matrix":
		matrix := model.Matrix{}
		iter.ReadArrayCB(func(iter *jsoniter.Iterator) bool {
			matrix = append(matrix, readStream(iter, matrix))
			return iter.Error == nil && d.fits(iter, len(matrix))
		})
		return matrix
	case "vector":
		vector := model.Vector{}
		iter.ReadArrayCB(func(iter *jsoniter.Iterator) bool {
			vector = append(vector, readSample(iter))
			return iter.Error == nil && d.fits(iter, len(vector))
		})
		return vector
	case "scalar":
		pair := readPair(iter)
		return &model.Scalar{Timestamp: pair.Timestamp, Value: pair.Value}
	case "string":
		text := &model.String{}
		readTuple(iter, func() { text.Value = iter.ReadString() }, &text.Timestamp)
		return text
	default:
		iter.ReportError("read result", "unknown type of result")
		return nil
	}
}

// fits ends the reading with an error when there are too many series.
func (d *valueDecoder) fits(iter *jsoniter.Iterator, series int) bool {
	if series <= d.most {
		return true
	}
	d.tooMany = true
	iter.ReportError("read result", "too many series")
	return false
}

// readStream reads one series of a matrix. Series of one answer mostly have as
// many points as the one before, so that one's length is room enough.
func readStream(iter *jsoniter.Iterator, before model.Matrix) *model.SampleStream {
	stream := &model.SampleStream{}
	iter.ReadObjectCB(func(iter *jsoniter.Iterator, key string) bool {
		switch key {
		case "metric":
			stream.Metric = readMetric(iter)
		case "values":
			if len(before) > 0 {
				stream.Values = make([]model.SamplePair, 0, len(before[len(before)-1].Values))
			}
			iter.ReadArrayCB(func(iter *jsoniter.Iterator) bool {
				stream.Values = append(stream.Values, readPair(iter))
				return iter.Error == nil
			})
		case "histograms":
			readWithModel(iter, &stream.Histograms)
		default:
			iter.Skip()
		}
		return iter.Error == nil
	})
	return stream
}

func readSample(iter *jsoniter.Iterator) *model.Sample {
	sample := &model.Sample{}
	iter.ReadObjectCB(func(iter *jsoniter.Iterator, key string) bool {
		switch key {
		case "metric":
			sample.Metric = readMetric(iter)
		case "value":
			pair := readPair(iter)
			sample.Timestamp, sample.Value = pair.Timestamp, pair.Value
		case "histogram":
			var pair model.SampleHistogramPair
			readWithModel(iter, &pair)
			sample.Timestamp, sample.Histogram = pair.Timestamp, pair.Histogram
		default:
			iter.Skip()
		}
		return iter.Error == nil
	})
	return sample
}

func readMetric(iter *jsoniter.Iterator) model.Metric {
	metric := model.Metric{}
	iter.ReadMapCB(func(iter *jsoniter.Iterator, name string) bool {
		metric[model.LabelName(name)] = model.LabelValue(iter.ReadString())
		return iter.Error == nil
	})
	return metric
}

// readPair reads [seconds, "value"].
func readPair(iter *jsoniter.Iterator) model.SamplePair {
	var pair model.SamplePair
	readTuple(iter, func() {
		// The slice points into the buffer; ParseFloat does not keep it.
		f, err := strconv.ParseFloat(string(iter.ReadStringAsSlice()), 64)
		if err != nil && iter.Error == nil && !math.IsInf(f, 0) {
			iter.ReportError("read sample", "the value is not a number")
		}
		pair.Value = model.SampleValue(f)
	}, &pair.Timestamp)
	return pair
}

// readTuple reads [seconds, second]. Seconds have at most three decimals, which a
// float64 carries exactly enough to be rounded to the millisecond.
func readTuple(iter *jsoniter.Iterator, second func(), at *model.Time) {
	if !iter.ReadArray() {
		iter.ReportError("read sample", "a pair is empty")
		return
	}
	*at = model.Time(math.Round(iter.ReadFloat64() * 1000))
	if !iter.ReadArray() {
		iter.ReportError("read sample", "a pair has no value")
		return
	}
	second()
	if iter.Error == nil && iter.ReadArray() {
		iter.ReportError("read sample", "a pair has more than two parts")
	}
}

// readWithModel leaves rare types to their own decoders.
func readWithModel(iter *jsoniter.Iterator, into any) {
	raw := iter.SkipAndReturnBytes()
	if iter.Error != nil {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		iter.ReportError("read histogram", err.Error())
	}
}
