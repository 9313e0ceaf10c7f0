package prom

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

var errNoPair = errors.New("a sample is not a pair of a time and a text")

// columns fills one series after the other from arrays [[seconds,"value"],…]. This
// is where most bytes of an answer are, so it goes through them once and allocates
// for each series its values alone.
type columns struct {
	// before are the times of the last series: mostly those of the next one too.
	before []int64
}

// add reads the points of a series. raw is valid JSON, which need not be of the
// right shape.
func (c *columns) add(raw []byte) ([]int64, []float64, error) {
	count := max(bytes.Count(raw, []byte{'['})-1, 0)
	p := pairs{rest: raw}
	values := make([]float64, 0, count)
	times, shared := c.before, true
	if err := p.expect('['); err != nil {
		return nil, nil, err
	}
	for !p.next(']') {
		at, value, err := p.pair()
		if err != nil {
			return nil, nil, err
		}
		i := len(values)
		if shared && (i >= len(times) || times[i] != at) {
			shared = false
			times = append(make([]int64, 0, max(count, i+1)), times[:i]...)
		}
		if !shared {
			times = append(times, at)
		}
		values = append(values, value)
		if !p.next(',') {
			if err := p.expect(']'); err != nil {
				return nil, nil, err
			}
			break
		}
	}
	c.before = times[:len(values):len(values)]
	return c.before, values, nil
}

// pairs reads the text of an array of pairs.
type pairs struct{ rest []byte }

// pair reads [seconds,"value"].
func (p *pairs) pair() (milliseconds int64, value float64, err error) {
	if err := p.expect('['); err != nil {
		return 0, 0, err
	}
	if milliseconds, err = p.time(); err != nil {
		return 0, 0, err
	}
	if err := p.expect(','); err != nil {
		return 0, 0, err
	}
	if value, err = p.value(); err != nil {
		return 0, 0, err
	}
	return milliseconds, value, p.expect(']')
}

// latest is the last time of which a float64 still holds the milliseconds.
const latest = 1 << 53 / 1000

// time reads seconds. The short way takes what servers write, digits with at most
// three decimals; a float64 carries the others exactly enough to be rounded.
func (p *pairs) time() (int64, error) {
	p.space()
	if d := digits(p.rest); d.length > 0 && d.decimals <= 3 {
		p.rest = p.rest[d.length:]
		for range 3 - d.decimals {
			d.whole *= 10
		}
		return d.whole, nil
	}
	end := bytes.IndexAny(p.rest, ", \t\r\n]")
	if end < 0 {
		return 0, errNoPair
	}
	seconds, err := strconv.ParseFloat(string(p.rest[:end]), 64)
	if err != nil || math.Abs(seconds) > latest {
		return 0, fmt.Errorf("the time of a sample is no number: %w", errNoPair)
	}
	p.rest = p.rest[end:]
	return int64(math.Round(seconds * 1000)), nil
}

// value reads a number in quotes. In the short way both whole and the power of ten
// are exact, so that the one division rounds as the long way does.
func (p *pairs) value() (float64, error) {
	if err := p.expect('"'); err != nil {
		return 0, err
	}
	end := bytes.IndexByte(p.rest, '"')
	if end < 0 {
		return 0, errNoPair
	}
	if end <= most15+1 {
		if d := digits(p.rest[:end+1]); d.length == end && end > 0 {
			p.rest = p.rest[end+1:]
			return float64(d.whole) / powers[d.decimals], nil
		}
	}
	value, err := strconv.ParseFloat(string(p.rest[:end]), 64)
	if err != nil && !math.IsInf(value, 0) { // out of range is infinite
		return 0, errors.New("the value of a sample is not a number")
	}
	p.rest = p.rest[end+1:]
	return value, nil
}

// decimal is whole/10^decimals, written in length bytes.
type decimal struct {
	whole    int64
	decimals int
	length   int
}

// most15 are digits that a float64 holds exactly.
const most15 = 15

var powers = [most15 + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// digits reads a number at the beginning of text that is nothing but digits and at
// most one point; the length is 0 of all others.
func digits(text []byte) decimal {
	var whole int64
	point := -1
	for i, b := range text {
		switch {
		case b-'0' <= 9:
			whole = whole*10 + int64(b-'0')
			continue
		case b == '.' && point < 0:
			point = i
			continue
		case b == 'e' || b == 'E' || b == '.' || i == 0 || i > most15:
			return decimal{}
		case point == 0 && i == 1: // a point alone
			return decimal{}
		case point < 0:
			return decimal{whole: whole, length: i}
		default:
			return decimal{whole: whole, decimals: i - point - 1, length: i}
		}
	}
	return decimal{}
}

func (p *pairs) expect(b byte) error {
	if !p.next(b) {
		return errNoPair
	}
	return nil
}

// next takes b if it comes next.
func (p *pairs) next(b byte) bool {
	p.space()
	if len(p.rest) == 0 || p.rest[0] != b {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *pairs) space() {
	for len(p.rest) > 0 && (p.rest[0] == ' ' || p.rest[0] == '\n' || p.rest[0] == '\t' || p.rest[0] == '\r') {
		p.rest = p.rest[1:]
	}
}
