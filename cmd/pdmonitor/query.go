package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// answered is the stable JSON of `query -o json`.
type answered struct {
	Frames  data.Frames    `json:"frames"`
	PromQL  []string       `json:"promql"`
	Notices []query.Notice `json:"notices"`
	Error   *answerError   `json:"error"`
	// cause is Error, typed where the compiler refuses the query.
	cause error
}

type answerError struct {
	Status  int    `json:"status"`
	Source  string `json:"source"`
	Message string `json:"message"`
}

func newQuery() *cobra.Command {
	var q queryFlags
	var c connection
	var o output
	cmd := &cobra.Command{
		Use:   "query",
		Short: "Run one query against a server, through the whole data source",
		Example: `  pdmonitor query --url http://localhost:9090 --signal decode_request_rate --group-by model
  pdmonitor query --settings ds.yaml --query panel.json --from now-1h --step 15s -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(o.check(cmd), c.required(cmd)); err != nil {
				return err
			}
			dq, err := q.dataQuery(cmd)
			if err != nil {
				return err
			}
			source, err := c.open(cmd.Context())
			if err != nil {
				return err
			}
			defer source.Dispose()
			answer, err := ask(cmd.Context(), source, dq)
			if err != nil {
				return err
			}
			return q.misuse(cmd, printAnswer(cmd, &o, answer))
		},
	}
	q.flags(cmd)
	c.flags(cmd)
	o.flag(cmd)
	return cmd
}

// ask runs one query as Grafana would.
func ask(ctx context.Context, source *plugin.Datasource, dq backend.DataQuery) (answered, error) {
	response, err := source.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dq}})
	if err != nil {
		return answered{}, fmt.Errorf("query: %w", err)
	}
	one := response.Responses[dq.RefID]
	out := answered{Frames: one.Frames, PromQL: []string{}, Notices: plugin.Notices(one.Frames)}
	if out.Frames == nil {
		out.Frames = data.Frames{}
	}
	compiled, err := source.Compile(ctx, dq)
	if err == nil {
		out.PromQL = compiled.PromQL
	}
	if one.Error != nil {
		out.Error = &answerError{Status: int(one.Status), Source: string(one.ErrorSource), Message: one.Error.Error()}
		out.cause = one.Error
		var refused *query.FieldError
		if errors.As(err, &refused) {
			out.cause = err
		}
	}
	return out, nil
}

func printAnswer(cmd *cobra.Command, o *output, answer answered) error {
	if o.json() {
		if err := printJSON(cmd.OutOrStdout(), answer); err != nil {
			return err
		}
		if answer.Error != nil {
			return &alreadySaid{answer.cause}
		}
		return nil
	}
	printNotices(cmd.ErrOrStderr(), answer.Notices)
	if err := printFrames(cmd.OutOrStdout(), answer.Frames); err != nil {
		return err
	}
	return answer.cause
}

// printFrames prints every point of every series, one line each.
func printFrames(out io.Writer, frames data.Frames) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, frame := range frames {
		if frame.Meta != nil && frame.Meta.Type == data.FrameTypeNumericLong {
			printTable(w, frame)
			continue
		}
		times, _ := frame.FieldByName(data.TimeSeriesTimeFieldName)
		for _, field := range frame.Fields {
			if field.Type().Time() {
				continue
			}
			for i := range field.Len() {
				at := ""
				if times != nil {
					at = cell(times, i)
				}
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", at, seriesName(field), cell(field, i))
			}
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return nil
}

// printTable prints a frame of one row for each series.
func printTable(w io.Writer, frame *data.Frame) {
	names := make([]string, len(frame.Fields))
	for i, field := range frame.Fields {
		names[i] = seriesName(field)
	}
	_, _ = fmt.Fprintln(w, strings.Join(names, "\t"))
	for row := range frame.Rows() {
		cells := make([]string, len(frame.Fields))
		for i, field := range frame.Fields {
			cells[i] = cell(field, row)
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
}

// cell prints a value for a person: six digits are what a curve shows.
func cell(field *data.Field, row int) string {
	value, ok := field.ConcreteAt(row)
	if !ok {
		return ""
	}
	switch v := value.(type) {
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	default:
		return fmt.Sprint(v)
	}
}

func seriesName(field *data.Field) string {
	if field.Config != nil && field.Config.DisplayNameFromDS != "" {
		return field.Config.DisplayNameFromDS
	}
	return field.Name + field.Labels.String()
}
