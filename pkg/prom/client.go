// Package prom is the narrow client of the Prometheus HTTP API: range and instant
// queries, label values and build information, with bounded answers and errors in
// plain words. It knows nothing of Grafana; the caller brings the HTTP client.
//
// It decodes answers itself rather than through client_golang, which hides the
// server's words on 503 and repeats a refused POST as a second query.
package prom

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Options say where the server is and how it is asked.
type Options struct {
	// URL is the address below which /api/v1 is found. Its login and query string
	// are sent but never shown.
	URL string
	// HTTP sends the requests; it brings logins, certificates and headers.
	HTTP *http.Client
	// Method of queries, POST or GET; "" is POST, which has no length limit.
	Method string
	// Parameters are added to every request.
	Parameters url.Values
	// Secrets are further values that no message may show, such as tokens that HTTP adds.
	Secrets []string
	// Limits bound what is asked and taken.
	Limits Limits
}

// Client asks one server. It is safe for concurrent use.
type Client struct {
	base       *url.URL
	http       *http.Client
	method     string
	parameters url.Values
	limits     Limits
	secrets    secrets
	turns      chan struct{}
	pause      pause
}

// New makes a client. It sends nothing.
func New(opts Options) (*Client, error) {
	base, err := url.Parse(opts.URL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		// The text is not shown, it may hold a password.
		return nil, pluginError("The URL of the data source is not a web address. Enter one such as http://prometheus:9090.")
	}
	if opts.HTTP == nil {
		return nil, pluginError("The client needs an HTTP client.")
	}
	c := &Client{
		base:       base,
		http:       withinHost(opts.HTTP),
		method:     opts.Method,
		parameters: base.Query(),
		limits:     opts.Limits.withDefaults(),
	}
	switch c.method {
	case "":
		c.method = http.MethodPost
	case http.MethodPost, http.MethodGet:
	default:
		return nil, pluginError("The HTTP method must be POST or GET.")
	}
	c.turns = make(chan struct{}, c.limits.Concurrent)
	maps.Copy(c.parameters, opts.Parameters)
	c.secrets = secretsOf(base.User, c.parameters, opts.Secrets)
	return c, nil
}

// do sends one request and hands the answer's data to decode. It returns the
// warnings and infos as delivered. The error is always an *Error.
func (c *Client) do(ctx context.Context, method, endpoint string, params url.Values, decode func(*jsontext.Decoder) error) ([]string, error) {
	if err := c.pause.now(); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, c.limits.Timeout)
	defer cancel()
	done, late := c.turn(ctx, limited)
	if late != nil {
		return nil, late
	}
	defer done()

	req, err := c.request(limited, method, endpoint, params)
	if err != nil {
		return nil, pluginError("The request could not be built. Check the URL in the data source settings.")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.transportError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()

	if resp.Request != nil && resp.Request.Method != method {
		// HTTP turns a redirected POST into a GET without its form.
		return nil, downstream(http.StatusBadGateway, "The server redirects elsewhere, and the query is lost on the way. Enter the final address in the data source's URL (perhaps https instead of http), and check the login.", nil)
	}
	unpacked := &ahead{from: resp.Body, ctx: limited}
	defer func() {
		cancel() // before the body is closed, which no one may then be reading
		unpacked.wait()
	}()
	body := &boundedReader{from: unpacked, left: c.limits.Bytes}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		c.pause.begin(resp)
		return nil, c.statusError(ctx, resp, body)
	}
	answer, err := decodeEnvelope(body, decode)
	if err != nil {
		return nil, c.bodyError(ctx, resp, body, err)
	}
	if answer.status == "error" {
		return nil, c.apiError(ctx, http.StatusUnprocessableEntity, resp.Request, answer)
	}
	// Reading to the end lets the connection serve the next request.
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	return c.remarks(ctx, append(answer.warnings, answer.infos...)), nil
}

// remarks makes a server's warnings fit to be shown: without secrets, short, few.
func (c *Client) remarks(ctx context.Context, warnings []string) []string {
	const most, longest = 20, 1000
	var fit []string
	for i, text := range warnings {
		if i == most {
			return append(fit, fmt.Sprintf("The server sent %d further warnings.", len(warnings)-most))
		}
		fit = append(fit, c.quotable(ctx, text, longest))
	}
	return fit
}

func (c *Client) request(ctx context.Context, method, endpoint string, params url.Values) (*http.Request, error) {
	address := c.base.JoinPath(endpoint)
	address.RawQuery = c.parameters.Encode()
	address.Fragment = ""
	if method == http.MethodPost {
		req, err := http.NewRequestWithContext(ctx, method, address.String(), strings.NewReader(params.Encode()))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		// A query changes nothing: with this key, which is not sent, the transport may
		// repeat it when a kept-alive connection turns out to be closed.
		req.Header["Idempotency-Key"] = nil
		return req, nil
	}
	all := maps.Clone(c.parameters)
	maps.Copy(all, params)
	address.RawQuery = all.Encode()
	return http.NewRequestWithContext(ctx, method, address.String(), nil)
}
