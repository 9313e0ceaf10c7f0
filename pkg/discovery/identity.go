package discovery

import "context"

type identityKey struct{}

// WithIdentity marks a context with who asks. What was discovered for one identity
// is not shown to another: a server may answer each differently.
func WithIdentity(ctx context.Context, identity string) context.Context {
	return context.WithValue(ctx, identityKey{}, identity)
}

func identity(ctx context.Context) string {
	who, _ := ctx.Value(identityKey{}).(string)
	return who
}
