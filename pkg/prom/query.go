package prom

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
)

// Range is the time range of a query, both ends included.
type Range struct {
	Start, End time.Time
	// Step is the distance of points, at least 1 ms.
	Step time.Duration
}

// Result is what a query brought back.
type Result struct {
	// Value is a Matrix of a range query, else also model.Vector,
	// *model.Scalar or *model.String.
	Value model.Value
	// Warnings are the server's warnings and infos, as delivered.
	Warnings []string
}

// QueryRange runs promql over r. The error is always an *Error.
func (c *Client) QueryRange(ctx context.Context, promql string, r Range) (Result, error) {
	if r.Step < time.Millisecond || r.End.Before(r.Start) {
		return Result{}, &Error{Status: http.StatusBadRequest, Source: Plugin, Message: "The time range or the step of the query is not valid. Choose a range that ends after it starts and a step of at least 1 ms."}
	}
	return c.query(ctx, "api/v1/query_range", url.Values{
		"query": {promql},
		"start": {seconds(r.Start.UnixMilli())},
		"end":   {seconds(r.End.UnixMilli())},
		"step":  {seconds(r.Step.Milliseconds())},
	})
}

// Query runs promql at one instant. The error is always an *Error.
func (c *Client) Query(ctx context.Context, promql string, at time.Time) (Result, error) {
	return c.query(ctx, "api/v1/query", url.Values{
		"query": {promql},
		"time":  {seconds(at.UnixMilli())},
	})
}

func (c *Client) query(ctx context.Context, endpoint string, params url.Values) (Result, error) {
	value := valueDecoder{limits: c.limits}
	warnings, err := c.do(ctx, c.method, endpoint, params, value.decode)
	if err != nil {
		return Result{}, err
	}
	if value.value == nil {
		return Result{}, downstream(http.StatusBadGateway, "The answer of the server holds no data. Check that the data source's URL leads to a Prometheus API.", nil)
	}
	return Result{Value: value.value, Warnings: warnings}, nil
}

// seconds prints milliseconds as seconds, exactly: a float would shift some of them.
func seconds(milliseconds int64) string {
	return strconv.FormatFloat(float64(milliseconds)/1000, 'f', 3, 64)
}
