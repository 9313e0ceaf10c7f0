package prom

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// Source says who has to act on an error.
type Source string

const (
	// Downstream is the server, what lies before it, or the query that a user wrote.
	Downstream Source = "downstream"
	// Plugin is this program.
	Plugin Source = "plugin"
)

// StatusCancelled is the status of a request that its caller gave up.
const StatusCancelled = 499

// Error is what went wrong with one request. Message says what happened and what
// to do; it holds no URL, no login and no header.
type Error struct {
	// Status is the HTTP status to pass on: the server's own where it gave one,
	// else 502 (no usable answer), 504 (too slow) or StatusCancelled.
	Status  int
	Source  Source
	Message string
	cause   error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives context.Canceled and the like to errors.Is. The cause's text may
// hold what Message leaves out and must not be shown.
func (e *Error) Unwrap() error { return e.cause }

func pluginError(message string) *Error {
	return &Error{Status: http.StatusInternalServerError, Source: Plugin, Message: message}
}

func downstream(status int, message string, cause error) *Error {
	return &Error{Status: status, Source: Downstream, Message: message, cause: cause}
}

// statusError reads the body of an answer that is no success and says what it means.
func (c *Client) statusError(ctx context.Context, resp *http.Response, body *boundedReader) *Error {
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10))
	var api struct {
		ErrorType string `json:"errorType"`
		Error     string `json:"error"`
	}
	// Mimir, Thanos and Prometheus put their words here on any status, 503 too.
	if err := json.Unmarshal(raw, &api); err == nil && api.Error != "" {
		return c.apiError(ctx, resp.StatusCode, resp.Request, envelope{errorType: api.ErrorType, message: api.Error})
	}
	return answered(resp.StatusCode, resp.Request, "", c.excerpt(ctx, resp.Header, raw))
}

// apiError says what an error in the API's own form means.
func (c *Client) apiError(ctx context.Context, status int, req *http.Request, answer envelope) *Error {
	return answered(status, req, answer.errorType, c.quotable(ctx, cmp.Or(answer.message, answer.errorType), 1000))
}

// answered is the one table of statuses: what happened and what to do.
func answered(status int, req *http.Request, errorType, detail string) *Error {
	var what, remedy string
	switch status {
	case http.StatusBadRequest:
		what, remedy = "The server refused the query", "Correct what the message names."
		if detail == "" {
			remedy = "Check the query and the custom query parameters."
		}
	case http.StatusUnauthorized:
		what, remedy = "The server asks for a login", "Check user, password, token and headers in the data source settings."
	case http.StatusForbidden:
		what, remedy = "The server denies access", "The login has no right to query, or a proxy before the server blocks it: ask who runs it."
	case http.StatusNotFound:
		what, remedy = "No Prometheus API answers at this address", "Check the path in the data source's URL: Mimir needs /prometheus, a VictoriaMetrics cluster /select/0/prometheus."
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		what, remedy = "The server does not accept this HTTP method", "Set the HTTP method to the other one (GET or POST) in the data source settings."
		if req != nil && req.Method == http.MethodPost {
			what, remedy = "The server does not accept POST", "Set the HTTP method to GET in the data source settings."
		}
	case http.StatusRequestURITooLong:
		what, remedy = "The query is too long for GET", "Set the HTTP method to POST in the data source settings."
		if req == nil || req.Method == http.MethodPost {
			// The address of a POST holds nothing but the path and the parameters of the settings.
			what, remedy = "The address is too long for the server or a proxy before it", "Shorten the URL and the custom query parameters in the data source settings, or raise the limit."
		}
	case http.StatusUnprocessableEntity:
		what, remedy = "The server could not run the query", "Correct what the message names, or ask for fewer series or a shorter range."
	case http.StatusTooManyRequests:
		what, remedy = "The server gets too many requests", "Wait, refresh less often, or raise the limit of the server."
	case http.StatusInternalServerError:
		what, remedy = "The server failed", "Look into the server's log."
	case http.StatusBadGateway:
		what, remedy = "A proxy could not reach the server", "Check that the server runs, and what the proxy points at."
	case http.StatusServiceUnavailable:
		what, remedy = "The server is not available", "It may be starting or overloaded: try again in a moment."
		if errorType == "timeout" {
			what, remedy = "The query took too long for the server", "Choose a shorter range or a longer step, or ask for fewer series."
		}
	case http.StatusGatewayTimeout:
		what, remedy = "A proxy waited too long for the server", "Choose a shorter range or a longer step, or raise the proxy's timeout."
	default:
		what, remedy = "The server gave no answer to the query", "Check the data source's URL and what lies before the server."
	}
	message := fmt.Sprintf("%s (%d)", what, status)
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		detail = "" // who refuses a login likes to repeat it
	}
	if detail != "" {
		message += ": " + strings.TrimRight(detail, ". ")
	}
	return downstream(passedOn(status), message+". "+remedy, nil)
}

// passedOn is the status to report: a redirect that leads nowhere is an error too.
func passedOn(status int) int {
	if status < 400 {
		return http.StatusBadGateway
	}
	return status
}

// excerpt is the beginning of a body that a person can read, "" of others: an
// HTML page says nothing in its first lines.
func (c *Client) excerpt(ctx context.Context, header http.Header, body []byte) string {
	kind := contentType(header)
	switch {
	case kind == "text/html":
		return "got a web page, text/html, instead of JSON"
	case kind == "application/json" || kind == "text/plain":
		const longest = 300
		return c.quotable(ctx, string(body), longest)
	default:
		return ""
	}
}

func contentType(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}
