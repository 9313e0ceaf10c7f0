package plugin

import (
	"fmt"
	"io"
	"net/http"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// KVBytes is the KV cache of one request in the stable JSON of the command line
// and of POST /kv-bytes.
type KVBytes struct {
	BytesPerRequest int64 `json:"bytesPerRequest"`
	// BytesPerToken is one copy of the part that grows with the prompt.
	BytesPerToken int64 `json:"bytesPerToken"`
	// StateBytes is the part that does not depend on the prompt.
	StateBytes int64 `json:"stateBytes"`
	// Copies is the largest of the groups'.
	Copies int64 `json:"copies"`
	// Tokens are those that full layers send, whole blocks.
	Tokens  int64           `json:"tokens"`
	Groups  []kvcache.Group `json:"groups"`
	Notices []query.Notice  `json:"notices"`
}

// KVBytesOf works out the bytes of one request. Errors are those of kvcache, each
// with the field and what to do.
func KVBytesOf(size kvcache.Size) (KVBytes, error) {
	b, err := size.Breakdown()
	if err != nil {
		return KVBytes{}, err
	}
	out := KVBytes{
		BytesPerRequest: b.PerRequest, BytesPerToken: b.PerToken, StateBytes: b.State, Copies: b.Copies, Tokens: b.Tokens,
		Groups: append([]kvcache.Group{}, b.Groups...), Notices: []query.Notice{},
	}
	for _, n := range b.Notes {
		said := notice.SizeNote.Of(n.Text)
		if n.Warning {
			said = said.As(notice.Warning)
		}
		out.Notices = append(out.Notices, said)
	}
	return out, nil
}

// postKVBytes answers for one entry of requestSizes, whose model may be left out.
func (d *Datasource) postKVBytes(r *http.Request) (any, error) {
	var text []byte
	if r.Body != nil { // the SDK leaves it out where a call has none
		var err error
		if text, err = io.ReadAll(io.LimitReader(r.Body, maxBody+1)); err != nil {
			return nil, fmt.Errorf("read the call: %w", err)
		}
	}
	if len(text) > maxBody {
		return nil, &wrongSize{fmt.Errorf("body is longer than %d bytes: send one entry of requestSizes", maxBody)}
	}
	size, err := settings.ReadRequestSize(text)
	if err != nil {
		return nil, &wrongSize{err}
	}
	answer, err := KVBytesOf(size)
	if err != nil {
		return nil, &wrongSize{err}
	}
	return answer, nil
}

// wrongSize is a fault of what was sent, which explain knows as such.
type wrongSize struct{ cause error }

func (e *wrongSize) Error() string { return e.cause.Error() }

// As presents the fault as one of a field of the query, keeping its own text.
func (e *wrongSize) As(target any) bool {
	field, ok := target.(**query.FieldError)
	if !ok {
		return false
	}
	*field = &query.FieldError{Field: "body", Remedy: e.Error()}
	return true
}

func (e *wrongSize) Unwrap() error { return e.cause }
