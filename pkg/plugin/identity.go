package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// sameForAll are headers that Grafana sends along and by which no server decides
// what may be seen: they name the panel, the trace or the exchange.
var sameForAll = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Baggage": true, "Cache-Control": true, "Connection": true,
	"Content-Length": true, "Content-Type": true, "Fromalert": true, "Origin": true, "Pragma": true, "Referer": true,
	"Traceparent": true, "Tracestate": true, "User-Agent": true, "X-Cache-Skip": true, "X-Dashboard-Title": true,
	"X-Dashboard-Uid": true, "X-Datasource-Uid": true, "X-Grafana-Device-Id": true, "X-Grafana-From-Expr": true,
	"X-Panel-Id": true, "X-Panel-Plugin-Id": true, "X-Panel-Title": true, "X-Plugin-Id": true, "X-Query-Group-Id": true,
}

// identified marks a context with what is forwarded of a request, so that what one
// user was answered is not used for another. Every header counts that is not known
// to be harmless: a proxy may decide by the user's name or a tenant's.
func identified(ctx context.Context, headers http.Header) context.Context {
	sum := sha256.New()
	forwarded := false
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if sameForAll[http.CanonicalHeaderKey(name)] {
			continue
		}
		for _, value := range headers[name] {
			forwarded = true
			_, _ = sum.Write([]byte(name + ":" + value + "\n")) // a hash takes everything
		}
	}
	if !forwarded {
		return ctx
	}
	return prom.WithIdentity(ctx, hex.EncodeToString(sum.Sum(nil)))
}
