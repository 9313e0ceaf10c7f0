package prom

import (
	"errors"
	"io"

	jsoniter "github.com/json-iterator/go"
)

// envelope is what every answer of the API has around its data.
type envelope struct {
	status    string
	errorType string
	message   string
	warnings  []string
	infos     []string
}

// bufferBytes is the decoder's window; larger gains nothing, smaller costs reads.
const bufferBytes = 64 << 10

// decodeEnvelope reads one answer as a stream, so that a large matrix exists only
// once in memory. decode is called at the data, unless that is null.
func decodeEnvelope(body io.Reader, decode func(*jsoniter.Iterator)) (envelope, error) {
	var answer envelope
	iter := jsoniter.Parse(jsoniter.ConfigDefault, body, bufferBytes)
	iter.ReadObjectCB(func(iter *jsoniter.Iterator, key string) bool {
		switch key {
		case "status":
			answer.status = iter.ReadString()
		case "errorType":
			answer.errorType = iter.ReadString()
		case "error":
			answer.message = iter.ReadString()
		case "warnings":
			answer.warnings = readStrings(iter)
		case "infos":
			answer.infos = readStrings(iter)
		case "data":
			if iter.WhatIsNext() == jsoniter.NilValue {
				iter.ReadNil()
			} else {
				decode(iter)
			}
		default:
			iter.Skip()
		}
		return iter.Error == nil
	})
	if iter.Error != nil {
		return envelope{}, iter.Error
	}
	if answer.status != "success" && answer.status != "error" {
		return envelope{}, errors.New("the answer has no status")
	}
	return answer, nil
}

func readStrings(iter *jsoniter.Iterator) []string {
	var list []string
	iter.ReadArrayCB(func(iter *jsoniter.Iterator) bool {
		list = append(list, iter.ReadString())
		return iter.Error == nil
	})
	return list
}
