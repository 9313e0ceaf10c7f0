package prom_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// FuzzAnswers gives a client any body: it makes a result or an error of it, and the
// result is encoding/json's where that understands the body.
func FuzzAnswers(f *testing.F) {
	for _, result := range []string{
		`"matrix","result":[]`,
		`"matrix","result":[{"metric":{"__name__":"up","instance":"é\n"},"values":[[1,"1"],[2.5,"NaN"],[3.001,"-Inf"],[1e3,"1e-7"]]}]`,
		`"matrix","result":[{"metric":{},"values":[[1.0005,"."],[2,"0x1p-2"]]},{"values":[[1,"0.1"]],"histograms":[]}]`,
		`"matrix","result":[{"metric":null,"values":[ [ 1 , "123456789012345" ] , [2,"1234567890.123456"] ]}]`,
		`"matrix","result":[{"metric":{},"values":[[1e300,"1"],[-1,"1e999"],[1,"1","1"],["1","1"],[1,1]]}]`,
		`"vector","result":[{"metric":{"a":"b"},"value":[1,"2"]},{"metric":{},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}]`,
		`"scalar","result":[1,"2"]`,
		`"string","result":[1,"two"]`,
		`"other","result":7`,
	} {
		f.Add([]byte(`{"status":"success","data":{"resultType":` + result + `},"warnings":["w"]}`))
	}
	f.Add([]byte(`{"data":{"result":[{"values":[[1,"2"]]}],"resultType":"matrix"},"status":"success"}`))
	f.Add([]byte(`{"status":"error","errorType":"bad_data","error":"no"}`))
	f.Add([]byte(`<html>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		client, err := prom.New(prom.Options{URL: "http://prometheus", HTTP: &http.Client{Transport: fixed(body)}})
		require.NoError(t, err)
		got, err := client.QueryRange(t.Context(), "x", prom.Range{Start: time.Unix(1, 0), End: time.Unix(2, 0), Step: time.Second})
		want, verdict := judge(body)
		if err != nil {
			// Escapes in numbers are the one valid form that no server writes and none is read.
			require.True(t, verdict != right || bytes.ContainsRune(body, '\\'), "%s: %v", body, err)
			return
		}
		require.NotEqual(t, wrong, verdict, "%s", body)
		require.NotNil(t, got.Value)
		matrix, ok := got.Value.(prom.Matrix)
		if !ok {
			return
		}
		for _, s := range matrix {
			require.Len(t, s.Times, len(s.Values))
		}
		if verdict == right {
			require.Equal(t, want, plain(matrix), "%s", body)
		}
	})
}

// stream is a series with its values as bits, so that NaN equals NaN.
type stream struct {
	metric map[string]string
	times  []int64
	values []uint64
	native bool
}

func plain(m prom.Matrix) []stream {
	all := []stream{}
	for _, s := range m {
		one := stream{metric: map[string]string{}, native: s.Native}
		for name, value := range s.Metric {
			one.metric[string(name)] = string(value)
		}
		for i, v := range s.Values {
			one.times, one.values = append(one.times, s.Times[i]), append(one.values, math.Float64bits(v))
		}
		all = append(all, one)
	}
	return all
}

// verdict is what encoding/json says of an answer.
type verdict int

const (
	unclear verdict = iota // not exactly of the shape that the API describes
	right
	wrong // of its shape, with a value that is no number
)

// judge reads a range query's answer by encoding/json alone.
func judge(body []byte) ([]stream, verdict) {
	if !jsontext.Value(body).IsValid() { // encoding/json lets double names and broken texts through
		return nil, unclear
	}
	var answer map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&answer) != nil || answer["status"] != "success" {
		return nil, unclear
	}
	var texts struct {
		Warnings, Infos  []string
		Error, ErrorType *string
	}
	if json.Unmarshal(body, &texts) != nil {
		return nil, unclear
	}
	data, ok := answer["data"].(map[string]any)
	if !ok || data["resultType"] != model.ValMatrix.String() {
		return nil, unclear
	}
	result, ok := data["result"].([]any)
	if !ok {
		return nil, unclear
	}
	all := []stream{}
	for _, item := range result {
		one, verdict := judgeStream(item)
		if verdict != right {
			return nil, verdict
		}
		all = append(all, one)
	}
	return all, right
}

func judgeStream(item any) (stream, verdict) {
	object, ok := item.(map[string]any)
	if !ok {
		return stream{}, unclear
	}
	one := stream{metric: map[string]string{}}
	_, one.native = object["histograms"]
	metric, ok := object["metric"].(map[string]any)
	if !ok {
		return stream{}, unclear
	}
	for name, value := range metric {
		if one.metric[name], ok = value.(string); !ok {
			return stream{}, unclear
		}
	}
	values, ok := object["values"].([]any)
	if _, given := object["values"]; given && !ok {
		return stream{}, unclear
	}
	for _, point := range values {
		pair, ok := point.([]any)
		if !ok || len(pair) != 2 {
			return stream{}, unclear
		}
		seconds, isNumber := pair[0].(json.Number)
		text, isText := pair[1].(string)
		at, err := seconds.Float64()
		const farthest = 1e11 // where a float64 of seconds still holds a millisecond
		if !isNumber || !isText || err != nil || math.Abs(at) > farthest {
			return stream{}, unclear
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(value, 0) { // out of range is infinite
			return stream{}, wrong
		}
		one.times, one.values = append(one.times, int64(math.Round(at*1000))), append(one.values, math.Float64bits(value))
	}
	return one, right
}
