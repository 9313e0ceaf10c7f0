package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// requestSizes reads the list of KV-cache sizes. Unlike the top level it refuses
// unknown keys: a misspelt one would change a number that graphs divide by.
func (r *reader) requestSizes(field string) kvcache.Sizes {
	value := r.fields[field]
	if value == nil {
		return nil
	}
	entries, ok := value.([]any)
	if !ok {
		r.fail(field, "is %s: write a list [{\"model\": …, \"bytesPerRequest\": …}]", described(value))
		return nil
	}
	var sizes kvcache.Sizes
	first := map[string]int{}
	for i, entry := range entries {
		path := fmt.Sprintf("%s[%d]", field, i)
		members, ok := entry.(map[string]any)
		if !ok {
			r.fail(path, "is %s: write an object {\"model\": …}", described(entry))
			continue
		}
		size, ok := r.requestSize(path, members)
		if !ok {
			continue
		}
		if earlier, ok := first[size.Model]; ok && size.Model != "" {
			r.fail(path+".model", "is %s, which %s[%d] sets already: remove one of the two", quoted(size.Model), field, earlier)
			continue
		}
		first[size.Model] = i
		if _, err := size.Bytes(); err != nil {
			r.failEach(path, err)
			continue
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// requestSize reads one entry; ok is false when a key or a type is wrong.
func (r *reader) requestSize(path string, members map[string]any) (size kvcache.Size, ok bool) {
	texts := map[string]*string{"model": &size.Model, "kvDtype": &size.KVDtype}
	numbers := map[string]*int64{
		"bytesPerRequest": &size.BytesPerRequest,
		"layers":          &size.Layers,
		"kvHeads":         &size.KVHeads,
		"headDim":         &size.HeadDim,
		"inputTokens":     &size.InputTokens,
	}
	ok = true
	for _, key := range sortedKeys(members) {
		value := members[key]
		if text, known := texts[key]; known {
			var isText bool
			if *text, isText = value.(string); !isText {
				r.fail(path+"."+key, "is %s: write a text in quotes", described(value))
				ok = false
			}
			continue
		}
		if number, known := numbers[key]; known {
			var isNumber bool
			if *number, isNumber = integer(value); !isNumber {
				r.fail(path+"."+key, "is %s: write a whole number without quotes", described(value))
				ok = false
			}
			continue
		}
		names := append(sortedKeys(texts), sortedKeys(numbers)...)
		r.fail(path+"."+shortened(key), "is not known: use %s", strings.Join(names, ", "))
		ok = false
	}
	return size, ok
}

// failEach notes the joined faults of an entry one by one, each with its path.
func (r *reader) failEach(path string, err error) {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, one := range joined.Unwrap() {
			r.failEach(path, one)
		}
		return
	}
	r.errs = append(r.errs, fmt.Errorf("%s.%w", path, err))
}
