package promserver

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
)

// Front is an address that stays while servers behind it come and go, as a proxy
// before a Prometheus is: while there is none it answers 502. The zero value has
// none.
type Front struct {
	behind atomic.Pointer[httputil.ReverseProxy]
}

// Lead sends what comes to a server; nil to none.
func (f *Front) Lead(to *Server) error {
	if to == nil {
		f.behind.Store(nil)
		return nil
	}
	address, err := url.Parse(to.URL())
	if err != nil {
		return fmt.Errorf("promserver: address of the server behind a front: %w", err)
	}
	proxy := httputil.NewSingleHostReverseProxy(address)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	f.behind.Store(proxy)
	return nil
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if proxy := f.behind.Load(); proxy != nil {
		proxy.ServeHTTP(w, r)
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}
