package prom

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// transportError says what a failed exchange means. parent is the caller's
// context, without this client's own timeout.
func (c *Client) transportError(parent context.Context, err error) *Error {
	// url.Error's own text shows the whole address.
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if e := c.contextError(parent, err); e != nil {
		return e
	}
	host := c.base.Host
	if errors.Is(err, errElsewhere) {
		return downstream(http.StatusBadGateway, fmt.Sprintf("%s redirects to another server, which would get the login (%s). Enter the final address in the data source's URL.", host, c.quotable(parent, err.Error(), 200)), err)
	}
	if e := tlsError(err); e != nil {
		return e
	}
	var message string
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		message = fmt.Sprintf("The host name %q could not be looked up. Check the data source's URL, and that the machine which runs Grafana knows the name.", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		message = fmt.Sprintf("Nothing listens at %s (connection refused). Check that the server runs and that the port in the data source's URL is right.", host)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		message = fmt.Sprintf("%s closed the connection before it answered. Check the log of the server or of the proxy before it, and whether the URL needs https.", host)
	default:
		message = fmt.Sprintf("%s could not be reached: %s. Check the data source's URL and the network between.", host, c.quotable(parent, err.Error(), 200))
	}
	return downstream(http.StatusBadGateway, message, err)
}

// contextError is about requests that ended because of time or the caller, nil of others.
func (c *Client) contextError(parent context.Context, err error) *Error {
	if errors.Is(parent.Err(), context.Canceled) || errors.Is(err, context.Canceled) {
		return downstream(StatusCancelled, "The query was cancelled, because its panel was closed or asked anew.", context.Canceled)
	}
	var timeout net.Error
	if !errors.Is(err, context.DeadlineExceeded) && (!errors.As(err, &timeout) || !timeout.Timeout()) {
		return nil
	}
	const remedy = "Choose a shorter range or a longer step, or raise the timeout in the data source settings."
	if parent.Err() != nil {
		return downstream(http.StatusGatewayTimeout, "The server did not answer in the time that the caller allows. "+remedy, context.DeadlineExceeded)
	}
	return downstream(http.StatusGatewayTimeout, fmt.Sprintf("The server did not answer within %s. %s", c.limits.Timeout.Round(time.Millisecond), remedy), context.DeadlineExceeded)
}

// tlsError is about certificates and encryption, nil of others.
func tlsError(err error) *Error {
	var (
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		remote    *net.OpError
		record    tls.RecordHeaderError
	)
	var what, remedy string
	switch {
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		what, remedy = "The server does not speak TLS at this address", "Begin the data source's URL with http:// or name the TLS port."
	case errors.As(err, &host):
		what, remedy = "The server's certificate is for another name", "Use that name in the data source's URL or set the server name in its TLS settings."
	case errors.As(err, &authority):
		what, remedy = "The server's certificate is signed by an authority that is not known here", "Add its CA certificate in the data source's TLS settings."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		what, remedy = "The server's certificate has expired or is not valid yet", "Renew it, or check the clocks."
	case errors.As(err, &invalid), errors.As(err, &verify):
		what, remedy = "The server's certificate is not valid", "Check it and the data source's TLS settings."
	case errors.As(err, &remote) && remote.Op == "remote error":
		// This is how crypto/tls reports an alert; its own type is not exported.
		what, remedy = fmt.Sprintf("The server refused the TLS connection (%s)", strings.TrimPrefix(remote.Err.Error(), "tls: ")), "It may need a client certificate: see the data source's TLS settings."
	default:
		return nil
	}
	return downstream(http.StatusBadGateway, what+". "+remedy, err)
}

// bodyError says why the body of a successful answer could not be read.
func (c *Client) bodyError(parent context.Context, resp *http.Response, body *boundedReader, err error) *Error {
	if body.err != nil {
		if e := c.contextError(parent, body.err); e != nil {
			return e
		}
	}
	if e := c.limitError(body, err); e != nil {
		return e
	}
	kind := contentType(resp.Header)
	switch {
	case body.err != nil:
		return downstream(http.StatusBadGateway, "The answer broke off in the middle. Try again; if it stays so, check the proxy before the server and the server's log.", body.err)
	case kind == "text/html":
		return downstream(http.StatusBadGateway, "This is not a Prometheus API (got text/html): the address may lead to a login page or a web interface. Check the data source's URL and its login.", err)
	case body.ended:
		return downstream(http.StatusBadGateway, "The answer ends too early"+c.quotedHead(parent, resp.Header, body)+". Try again; if it stays so, check the proxy before the server.", err)
	}
	if kind != "" && kind != "application/json" {
		kind = "got " + kind
	} else {
		kind = "got other JSON than its own"
	}
	return downstream(http.StatusBadGateway, fmt.Sprintf("This is not a Prometheus API (%s)%s. Check the data source's URL.", kind, c.quotedHead(parent, resp.Header, body)), err)
}

func (c *Client) quotedHead(ctx context.Context, header http.Header, body *boundedReader) string {
	head := shortened(c.excerpt(ctx, header, body.head), 80)
	if head == "" {
		return ""
	}
	return fmt.Sprintf(", it begins with %q", head)
}
