package prom

import (
	"errors"
	"io"
)

// errTooLarge ends the reading of an answer that is larger than allowed.
var errTooLarge = errors.New("answer too large")

// headBytes is how much of a body is kept for error messages.
const headBytes = 512

// boundedReader reads at most left bytes and remembers how a body began and
// ended, because the decoder's own errors do not tell why it stopped.
type boundedReader struct {
	from  io.Reader
	left  int64
	head  []byte
	err   error // of from, io.EOF excepted
	ended bool  // from was asked for more than it had
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if room := headBytes - len(b.head); room > 0 {
		b.head = append(b.head, p[:min(n, room)]...)
	}
	b.left -= int64(n)
	switch {
	case b.left < 0:
		b.err = errTooLarge
		return 0, errTooLarge
	case err == io.EOF:
		b.ended = b.ended || n == 0
	case err != nil:
		b.err = err
	}
	return n, err
}
