package prom

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// newDecoder reads a server's JSON. What the answers of a server repeat or misspell
// is no concern here, and checking for it would cost a fifth of the time.
func newDecoder(body *boundedReader) *jsontext.Decoder {
	return jsontext.NewDecoder(body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// members calls read at the value of each member of an object, which has to take it.
// A null is an object without members.
func members(dec *jsontext.Decoder, read func(name string) error) error {
	return elements(dec, '{', func() error {
		name, err := readString(dec)
		if err != nil {
			return err
		}
		return read(name)
	})
}

// items calls read at each element of an array, which has to take it. A null is an
// array without elements.
func items(dec *jsontext.Decoder, read func() error) error { return elements(dec, '[', read) }

func elements(dec *jsontext.Decoder, opening jsontext.Kind, read func() error) error {
	token, err := dec.ReadToken()
	if err != nil || token.Kind() == 'n' {
		return err
	}
	if token.Kind() != opening {
		return fmt.Errorf("expected %s, found %s", opening, token.Kind())
	}
	closing := opening + 2 // of both pairs in ASCII
	for {
		switch kind := dec.PeekKind(); kind {
		case closing, 0: // the end, or an error that the next call tells
			_, err := dec.ReadToken()
			return err
		}
		if err := read(); err != nil {
			return err
		}
	}
}

func readString(dec *jsontext.Decoder) (string, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return "", err
	}
	if token.Kind() != '"' {
		return "", fmt.Errorf("expected a text, found %s", token.Kind())
	}
	return token.String(), nil
}

func readStrings(dec *jsontext.Decoder) ([]string, error) {
	var list []string
	err := items(dec, func() error {
		text, err := readString(dec)
		list = append(list, text)
		return err
	})
	return list, err
}
