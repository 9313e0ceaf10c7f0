package simulator

import "time"

// reporter is the metrics code of an engine: the event model tells it what
// happened on one scheduler, and it counts what that engine counts.
type reporter interface {
	// bootstrapped: SGLang's handshake and buffer wait are over (prefill).
	bootstrapped(r *Request)
	// bootstrapFailed: the handshake failed (both legs).
	bootstrapFailed(r *Request)
	// prefillStarted and prefillEnded bound the computation (prefill).
	prefillStarted(r *Request)
	prefillEnded(r *Request)
	// transferred: the KV cache has been sent (both legs).
	transferred(r *Request)
	// transferFailed: the other leg went away (either leg).
	transferFailed(r *Request)
	// expired: decode did not fetch the KV cache in time (prefill).
	expired(r *Request)
	// evicted: the prefix cache lost tokens to what needed their memory (prefill).
	evicted(tokens int)
	// decodeStarted: the request enters the batch for the first time (decode).
	decodeStarted(r *Request)
	// token: one output token, with the time since the one before (decode).
	token(r *Request, interval time.Duration)
	// drafted: a round of speculative decoding, and how many of its drafted tokens
	// were accepted (decode).
	drafted(r *Request, accepted int)
	// preempted: the request left the batch with its work undone (decode).
	preempted(r *Request)
	// finished: all output is there (decode).
	finished(r *Request)
	// aborted: the client left while the request waited or, if running, ran.
	aborted(r *Request, running bool)
	// logged is SGLang's periodic decode log line.
	logged(now time.Duration)
	// refresh sets the gauges from the scheduler's present state.
	refresh()
}

// noHandshake and noLog are for engines without.
type noHandshake struct{}

func (noHandshake) bootstrapped(*Request)    {}
func (noHandshake) bootstrapFailed(*Request) {}

type noLog struct{}

func (noLog) logged(time.Duration) {}
