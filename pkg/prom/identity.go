package prom

import "context"

type identityKey struct{}

// WithIdentity marks a context with who asks. What one identity was answered is not
// shown to another: a server may answer each differently.
func WithIdentity(ctx context.Context, identity string) context.Context {
	return context.WithValue(ctx, identityKey{}, identity)
}

// Identity is who asks, "" where no login is forwarded.
func Identity(ctx context.Context) string {
	who, _ := ctx.Value(identityKey{}).(string)
	return who
}
