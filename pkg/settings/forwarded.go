package settings

import (
	"context"
	"net/http"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// UserName is the header with the user's name, if Grafana is set up to send it.
const UserName = "X-Grafana-User"

// AboutTheCall are headers that name the panel, the rule, the trace or the exchange, and by
// which no server decides what may be seen. The organisation is that of the data source.
var AboutTheCall = map[string]bool{
	"Baggage": true, "Cache-Control": true, "Content-Length": true, "Content-Type": true, "Fromalert": true, "Pragma": true,
	"Traceparent": true, "Tracestate": true, "User-Agent": true, "X-Cache-Skip": true, "X-Dashboard-Title": true,
	"X-Dashboard-Uid": true, "X-Datasource-Uid": true, "X-Grafana-Device-Id": true, "X-Grafana-From-Expr": true,
	"X-Grafana-Internal-Request": true, "X-Grafana-Nocache": true, "X-Grafana-Referer": true,
	"X-Grafana-Request-Id": true, "X-Grafana-Signed-Request-Id": true, "X-Grafana-Org-Id": true,
	"X-Panel-Id": true, "X-Panel-Plugin-Id": true, "X-Panel-Title": true, "X-Plugin-Id": true, "X-Query-Group-Id": true,
	"X-Rule-Folder": true, "X-Rule-Name": true, "X-Rule-Source": true, "X-Rule-Type": true, "X-Rule-Uid": true, "X-Rule-Version": true,
}

// GrafanaToken is the header with Grafana's own token about the user, which lasts ten
// minutes.
const GrafanaToken = "X-Grafana-Id"

// exchangeHeaders describe the exchange between a browser and Grafana. The SDK
// forwards them with the rest; sent on, they would ask the server for a
// compression that the transport then leaves packed, or announce a body that the
// request does not have.
var exchangeHeaders = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Connection": true, "Content-Encoding": true, "Dnt": true,
	"Forwarded": true, "If-Match": true, "If-Modified-Since": true, "If-None-Match": true, "If-Range": true, "If-Unmodified-Since": true,
	"Keep-Alive": true, "Origin": true, "Priority": true, "Proxy-Connection": true, "Referer": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true, "Upgrade-Insecure-Requests": true, "Via": true,
	"X-Forwarded-For": true, "X-Forwarded-Host": true, "X-Forwarded-Port": true, "X-Forwarded-Proto": true,
}

// oauthHeaders are set by Grafana where the data source forwards logins of OAuth.
var oauthHeaders = map[string]bool{"Authorization": true, "X-Id-Token": true}

type browserKey struct{}

// FromBrowser marks the context of a call whose headers a browser wrote: Grafana passes those of
// resource calls on, while it writes those of queries itself. login is the user's name as
// Grafana knows it.
func FromBrowser(ctx context.Context, login string) context.Context {
	return context.WithValue(ctx, browserKey{}, login)
}

// Forwards reports whether a header that came with a call, its name in canonical form, is sent
// on to the server. Of a browser's own headers none is that a server could take for a login: a
// proxy may believe a user's or a tenant's name.
func (s Settings) Forwards(ctx context.Context, name, value string) bool {
	if exchangeHeaders[name] || strings.HasPrefix(name, "Sec-") {
		return false
	}
	if name == GrafanaToken && !s.ForwardGrafanaID {
		return false
	}
	login, browser := ctx.Value(browserKey{}).(string)
	switch {
	case !browser || AboutTheCall[name]:
		return true
	case name == UserName:
		return value == login && login != ""
	case oauthHeaders[name]:
		return s.OAuthPassThru
	}
	return name == GrafanaToken || name == "Cookie" // of which Grafana leaves those that the settings keep
}

// ownHeaders drops what is not to be sent on. It has to be the last middleware, where
// forwarded headers are in the request; those of the data source stay.
func (s Settings) ownHeaders(own httpclient.Options) httpclient.Middleware {
	return httpclient.MiddlewareFunc(func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
			for name, values := range r.Header {
				canonical := http.CanonicalHeaderKey(name)
				// What is configured is in the request already, and was not replaced.
				login := canonical == "Authorization" && (own.BasicAuth != nil || r.URL.User != nil)
				if login || own.Header.Get(canonical) != "" && !exchangeHeaders[canonical] {
					continue
				}
				if !s.Forwards(r.Context(), canonical, strings.Join(values, ",")) {
					delete(r.Header, name)
				}
			}
			if r.Body == nil || r.Body == http.NoBody {
				r.Header.Del("Content-Type")
			}
			return next.RoundTrip(r)
		})
	})
}
