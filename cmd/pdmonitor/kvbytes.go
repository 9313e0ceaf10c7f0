package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func newKVBytes() *cobra.Command {
	var size kvcache.Size
	var config, model string
	var list bool
	var o output
	cmd := &cobra.Command{
		Use:   "kvbytes",
		Short: "Work out the KV cache bytes of one request from a model's config.json",
		Long: `kvbytes works out how many bytes of KV cache prefill sends to decode for one
request, group of layers by group of layers. It refuses, with the field's name,
what the config.json does not say. docs/kv-bytes.md explains the formulas.`,
		Example: `  pdmonitor kvbytes --config config.json --input-tokens 8192 --kv-dtype bf16
  pdmonitor kvbytes --model deepseek-v3 --input-tokens 8192 --kv-dtype bf16 --engine vllm --decode-tp 8
  pdmonitor kvbytes --models`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			if list {
				return listPresets(cmd, o)
			}
			switch {
			case config == "" && model == "":
				return &wrongUse{command: cmd.CommandPath(), cause: errors.New("give --config with a model's config.json, or --model with the name of a known one")}
			case config != "" && model != "":
				return &wrongUse{command: cmd.CommandPath(), cause: errors.New("--config and --model both name a model: keep one")}
			case model != "":
				size.Preset = model
			default:
				text, err := os.ReadFile(config)
				if err != nil {
					return fmt.Errorf("--config: %w", err)
				}
				size.Config = append([]byte{}, text...)
			}
			answer, err := plugin.KVBytesOf(size)
			if err != nil {
				return kvBytesError(cmd, config, err)
			}
			if o.json() {
				return printJSON(cmd.OutOrStdout(), answer)
			}
			return printKVBytes(cmd, answer)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "`file` with the model's config.json")
	cmd.Flags().StringVar(&model, "model", "", "`name` of a model whose config.json is known; --models lists them")
	cmd.Flags().BoolVar(&list, "models", false, "list the models whose config.json is known")
	sizeFlags(cmd, &size)
	o.flag(cmd)
	return cmd
}

// sizeFlags makes a flag of every setting that goes with a config.
func sizeFlags(cmd *cobra.Command, size *kvcache.Size) {
	for _, f := range size.Fields() {
		switch f.Name {
		case "model", "preset", "bytesPerRequest", "layers", "kvHeads", "headDim":
			continue // the other forms, which need no command
		}
		name := flagName(f.Name)
		switch {
		case f.Number != nil:
			cmd.Flags().Int64Var(f.Number, name, 0, f.Meaning)
		case f.Text != nil:
			cmd.Flags().StringVar(f.Text, name, "", f.Meaning)
		default:
			target := f.Switch
			cmd.Flags().BoolFunc(name, f.Meaning, func(text string) error {
				on := text == "true"
				if !on && text != "false" {
					return errors.New("give true or false")
				}
				*target = &on
				return nil
			})
		}
	}
}

// flagName turns kvDtype into kv-dtype and prefillTP into prefill-tp.
func flagName(field string) string {
	var name strings.Builder
	small := false
	for _, r := range field {
		if unicode.IsUpper(r) && small {
			name.WriteByte('-')
		}
		small = !unicode.IsUpper(r)
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// kvBytesError tells a wrong flag from a config that does not say enough.
func kvBytesError(cmd *cobra.Command, config string, err error) error {
	var field *kvcache.FieldError
	if errors.As(err, &field) && field.Field == "preset" {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("--model %s", field.Problem)}
	}
	if field != nil && field.Field != "config" && !strings.HasPrefix(field.Field, "config.") && !strings.HasPrefix(field.Field, "config[") {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("--%s %s", flagName(field.Field), field.Problem)}
	}
	if config == "" {
		return err
	}
	return fmt.Errorf("--config %s: %w", config, err)
}

func printKVBytes(cmd *cobra.Command, b plugin.KVBytes) error {
	out := cmd.OutOrStdout()
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "bytes per request\t%d\t%s\n", b.BytesPerRequest, inUnits(b.BytesPerRequest))
	_, _ = fmt.Fprintf(w, "grows per token\t%d\tof one copy\n", b.BytesPerToken)
	_, _ = fmt.Fprintf(w, "state\t%d\t%s\n", b.StateBytes, inUnits(b.StateBytes))
	_, _ = fmt.Fprintf(w, "copies\t%d\t\n", b.Copies)
	_, _ = fmt.Fprintf(w, "tokens\t%d\t\n", b.Tokens)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the bytes: %w", err)
	}
	_, _ = fmt.Fprintln(out)
	for _, g := range b.Groups {
		_, _ = fmt.Fprintln(out, g.Derivation)
	}
	printNotices(cmd.ErrOrStderr(), b.Notices)
	return nil
}

// inUnits prints 1073741824 as "1 GiB = 1.074 GB", since both are in use.
func inUnits(n int64) string {
	units := []struct {
		binary, decimal float64
		names           [2]string
	}{{1 << 40, 1e12, [2]string{"TiB", "TB"}}, {1 << 30, 1e9, [2]string{"GiB", "GB"}}, {1 << 20, 1e6, [2]string{"MiB", "MB"}}}
	for _, u := range units {
		if float64(n) >= u.binary {
			return fmt.Sprintf("%.4g %s = %.4g %s", float64(n)/u.binary, u.names[0], float64(n)/u.decimal, u.names[1])
		}
	}
	return "B"
}

// listedPreset is one line of --models.
type listedPreset struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Read   string `json:"read"`
}

func listPresets(cmd *cobra.Command, o output) error {
	presets, err := kvcache.Presets()
	if err != nil {
		return err
	}
	listed := make([]listedPreset, 0, len(presets))
	for _, p := range presets {
		listed = append(listed, listedPreset{p.Name, p.Source, p.Read})
	}
	if o.json() {
		return printJSON(cmd.OutOrStdout(), listed)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "MODEL\tREAD\tSOURCE")
	for _, p := range listed {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, cmp.Or(p.Read, "-"), p.Source)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the models: %w", err)
	}
	return nil
}
