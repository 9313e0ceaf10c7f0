package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// identified marks a context with whose login is forwarded, so that what was
// discovered for one user is not used for another.
func identified(ctx context.Context, headers http.Header) context.Context {
	sum := sha256.New()
	forwarded := false
	for _, name := range []string{"Authorization", "X-Id-Token", "Cookie"} {
		for _, value := range headers.Values(name) {
			forwarded = true
			_, _ = sum.Write([]byte(name + ":" + value + "\n")) // a hash takes everything
		}
	}
	if !forwarded {
		return ctx
	}
	return prom.WithIdentity(ctx, hex.EncodeToString(sum.Sum(nil)))
}
