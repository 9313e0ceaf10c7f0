package prom

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// envelope is what every answer of the API has around its data.
type envelope struct {
	status    string
	errorType string
	message   string
	warnings  []string
	infos     []string
}

// decodeEnvelope reads one answer as a stream, so that a large matrix exists only
// once in memory. decode is called at the data, unless that is null.
func decodeEnvelope(body *boundedReader, decode func(*jsontext.Decoder) error) (envelope, error) {
	var answer envelope
	dec := newDecoder(body)
	err := members(dec, func(name string) (err error) {
		switch name {
		case "status":
			answer.status, err = readString(dec)
		case "errorType":
			answer.errorType, err = readString(dec)
		case "error":
			answer.message, err = readString(dec)
		case "warnings":
			answer.warnings, err = readStrings(dec)
		case "infos":
			answer.infos, err = readStrings(dec)
		case "data":
			if dec.PeekKind() != 'n' {
				return decode(dec)
			}
			err = dec.SkipValue()
		default:
			err = dec.SkipValue()
		}
		return err
	})
	if err != nil {
		return envelope{}, err
	}
	if answer.status != "success" && answer.status != "error" {
		return envelope{}, errors.New("the answer has no status")
	}
	return answer, nil
}
