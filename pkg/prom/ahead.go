package prom

import (
	"context"
	"fmt"
	"io"
)

const (
	// aheadFrom is how long an answer is before reading ahead is worth a goroutine.
	aheadFrom = 64 << 10
	// aheadBytes and aheadChunks bound what is read ahead.
	aheadBytes  = 64 << 10
	aheadChunks = 4
)

// ahead reads the body of a long answer in a goroutine of its own: most of that is
// unpacking, and takes as long as the decoding that goes on meanwhile.
type ahead struct {
	from   io.Reader
	direct int // bytes that were read without the goroutine
	now    chunk
	ready  chan chunk // nil while the goroutine has not started
	free   chan []byte
	ctx    context.Context // ends the goroutine
	done   chan struct{}
}

// chunk is what one Read of the body gave, of which left is to be handed on, or why
// there is no more.
type chunk struct {
	buffer, left []byte
	err          error
}

// Read implements io.Reader.
func (a *ahead) Read(p []byte) (int, error) {
	if a.ready == nil {
		if a.direct < aheadFrom {
			n, err := a.from.Read(p)
			a.direct += n
			return n, err
		}
		a.start()
	}
	for len(a.now.left) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.buffer != nil {
			a.free <- a.now.buffer
		}
		a.now = <-a.ready
	}
	n := copy(p, a.now.left)
	a.now.left = a.now.left[n:]
	return n, nil
}

func (a *ahead) start() {
	// There is room for every buffer and for the reason why no more come.
	a.ready, a.free, a.done = make(chan chunk, aheadChunks+1), make(chan []byte, aheadChunks), make(chan struct{})
	for range aheadChunks {
		a.free <- make([]byte, aheadBytes)
	}
	go func() {
		defer close(a.done)
		a.ready <- chunk{err: a.read()}
	}()
}

// read hands on what comes, and returns why it ended.
func (a *ahead) read() (err error) {
	defer func() {
		// A panic of a goroutine ends the process, and with it every other panel.
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the answer could not be read: %v", fault)
		}
	}()
	for {
		select {
		case <-a.ctx.Done():
			return a.ctx.Err()
		case buffer := <-a.free:
			n, err := a.from.Read(buffer)
			if n > 0 {
				a.ready <- chunk{buffer: buffer, left: buffer[:n]}
			} else {
				a.free <- buffer
			}
			if err != nil {
				return err
			}
		}
	}
}

// wait returns when nothing reads the body any more. The context has to have ended,
// unless all was read.
func (a *ahead) wait() {
	if a.done != nil {
		<-a.done
	}
}
