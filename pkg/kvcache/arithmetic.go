package kvcache

// bounded is a product or sum of numbers ≥ 0 that remembers having passed
// MaxBytes, so that no intermediate value overflows or comes back as a small one.
type bounded struct {
	value int64
	over  bool
}

// product multiplies factors ≥ 0.
func product(factors ...int64) bounded {
	result := bounded{value: 1}
	for _, f := range factors {
		if f != 0 && result.value > MaxBytes/f {
			return bounded{over: true}
		}
		result.value *= f
	}
	return result
}

func (b bounded) plus(other bounded) bounded {
	if b.over || other.over || b.value > MaxBytes-other.value {
		return bounded{over: true}
	}
	return bounded{value: b.value + other.value}
}

// roundedUp is the least multiple of step that is at least n; n ≥ 0, step ≥ 1.
func roundedUp(n, step int64) int64 {
	return ceilDiv(n, step) * step
}

func ceilDiv(n, by int64) int64 {
	return n/by + min(n%by, 1)
}
