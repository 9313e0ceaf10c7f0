package prom

import "context"

// Caller is what a request brings of who asks.
type Caller struct {
	// Identity tells callers apart whom the server may answer differently, "" where no
	// login is forwarded. What one identity was answered is not shown to another.
	Identity string
	// Secrets are the values that are forwarded and that no message may show.
	Secrets []string
}

type callerKey struct{}

// WithCaller marks a context with who asks.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Identity is who asks, "" where no login is forwarded.
func Identity(ctx context.Context) string { return callerOf(ctx).Identity }

func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
