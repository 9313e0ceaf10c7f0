package settings

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// HTTPOptions are the options of the HTTP client for an instance whose settings
// are s: logins, certificates and headers as Grafana stores them, the caller's
// headers forwarded, and the timeout of s. Make the client of them by
// httpclient.NewProvider().New, which keeps the SDK's default middlewares.
func (s Settings) HTTPOptions(ctx context.Context, instance backend.DataSourceInstanceSettings) (httpclient.Options, error) {
	opts, err := instance.HTTPClientOptions(ctx)
	if err != nil {
		return httpclient.Options{}, fmt.Errorf("build the HTTP client from the settings: %w", err)
	}
	opts.ForwardHTTPHeaders = true
	opts.ConfigureMiddleware = func(own httpclient.Options, defaults []httpclient.Middleware) []httpclient.Middleware {
		return append(defaults, s.ownHeaders(own))
	}
	// The context of each request carries the timeout itself; the client's is
	// only a second line, and must not cut a request a moment before the first
	// could say so in plain words.
	opts.Timeouts.Timeout = s.Timeout + time.Second
	return opts, nil
}
