package workbench

import (
	"net"
	"net/http"
	"net/netip"
)

// policy lets the page load from here alone. Styles are made at run time by
// Grafana's components, hence 'unsafe-inline' for them and nothing else.
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// maxBody bounds what a caller may send.

const maxBody = 4 << 20

// guarded answers callers that mean this machine. A page on the Internet can make
// a browser call loopback addresses too: under a name of its own, which the Host
// header gives away, or across origins.
func guarded(next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !isLoopback(hostname(r.Host)) {
			fail(w, http.StatusForbidden, "the workbench answers to localhost and loopback addresses only")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		sameOrigin.ServeHTTP(w, r)
	})
}

// hostname is a Host header without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// isLoopback reports whether a host is this machine by a name that no name server
// can give to another.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
