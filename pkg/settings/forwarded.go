package settings

import (
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// exchangeHeaders describe the exchange between a browser and Grafana. The SDK
// forwards them with the rest; sent on, they would ask the server for a
// compression that the transport then leaves packed, or announce a body that the
// request does not have.
var exchangeHeaders = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Encoding", "Keep-Alive", "Origin", "Proxy-Connection",
	"Referer", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// ownExchange drops the browser's exchange headers from what is forwarded. It has
// to be the last middleware, where forwarded headers are in the request.
func ownExchange() httpclient.Middleware {
	return httpclient.MiddlewareFunc(func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
			for _, name := range exchangeHeaders {
				r.Header.Del(name)
			}
			if r.Body == nil || r.Body == http.NoBody {
				r.Header.Del("Content-Type")
			}
			return next.RoundTrip(r)
		})
	})
}
