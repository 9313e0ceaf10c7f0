package prom

import (
	"errors"
	"fmt"
	"net/http"
)

// errElsewhere ends a request that would leave the configured host: middlewares set
// logins on every hop, also where net/http would drop them.
var errElsewhere = errors.New("redirected to another server")

// withinHost is the client with redirects kept to the host that was configured;
// from http to https is allowed.
func withinHost(client *http.Client) *http.Client {
	kept := *client
	kept.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		const most = 10
		if len(before) >= most {
			return fmt.Errorf("stopped after %d redirects", most)
		}
		first := before[0].URL
		sameHost := next.URL.Hostname() == first.Hostname()
		sameScheme := next.URL.Scheme == first.Scheme && next.URL.Port() == first.Port()
		upgraded := first.Scheme == "http" && next.URL.Scheme == "https"
		if !sameHost || !sameScheme && !upgraded {
			return fmt.Errorf("%w: %s", errElsewhere, next.URL.Host)
		}
		return nil
	}
	return &kept
}
