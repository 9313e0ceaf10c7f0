package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// failure is an error as Grafana shows it: a status, who has to act, and what to do.
type failure struct {
	status  int
	source  backend.ErrorSource
	message string
}

// explain finds status and source of any error of this plugin. It is the only
// place that decides them.
func explain(err error) failure {
	var server *prom.Error
	if errors.As(err, &server) {
		source := backend.ErrorSourceDownstream
		if server.Source == prom.Plugin {
			source = backend.ErrorSourcePlugin
		}
		return failure{status: server.Status, source: source, message: server.Message}
	}
	var field *query.FieldError
	if errors.As(err, &field) {
		return failure{status: http.StatusBadRequest, source: backend.ErrorSourceDownstream, message: err.Error()}
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) { // of a stored query: answers of a server are package prom's
		return failure{status: http.StatusBadRequest, source: backend.ErrorSourceDownstream, message: err.Error()}
	}
	var broken *brokenSettings
	if errors.As(err, &broken) {
		return failure{status: http.StatusBadRequest, source: backend.ErrorSourceDownstream, message: err.Error()}
	}
	if errors.Is(err, context.Canceled) {
		return failure{status: prom.StatusCancelled, source: backend.ErrorSourceDownstream, message: "The query was cancelled."}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failure{status: http.StatusGatewayTimeout, source: backend.ErrorSourceDownstream, message: "The server took too long to answer."}
	}
	return failure{status: http.StatusInternalServerError, source: backend.ErrorSourcePlugin, message: err.Error()}
}

// brokenSettings says that the data source's settings are wrong.
type brokenSettings struct{ cause error }

func (e *brokenSettings) Error() string {
	return "The data source settings are wrong: " + e.cause.Error()
}

func (e *brokenSettings) Unwrap() error { return e.cause }

// WrongSettings reports whether an error is about the settings of a data source, and not
// about the query or the server.
func WrongSettings(err error) bool {
	var broken *brokenSettings
	return errors.As(err, &broken)
}

// response is the data response of an error, with what is to be shown beside it.
func (f failure) response() backend.DataResponse {
	response := backend.ErrDataResponseWithSource(backend.Status(f.status), f.source, f.message)
	if f.status == prom.StatusCancelled {
		response.Error = &givenUp{f.message}
	}
	return response
}

// givenUp is the error of a request that its caller gave up. Grafana tells it from a
// failure by its cause.
type givenUp struct{ message string }

func (e *givenUp) Error() string { return e.message }

func (e *givenUp) Unwrap() error { return context.Canceled }
