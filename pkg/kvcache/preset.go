package kvcache

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
	"github.com/ptd-monitor/pdmonitor/pkg/nearest"
)

//go:embed presets/*.json
var presetFiles embed.FS

// Preset is a model whose config is known: the fields that decide its cache.
type Preset struct {
	// Name is what Size.Preset takes.
	Name string `json:"-"`
	// Models are beginnings of model names that mean it, in small letters and
	// without organisation.
	Models []string `json:"models"`
	// Source says where the fields were read, Read in which month.
	Source string `json:"source"`
	Read   string `json:"read"`
	// Config holds the fields as the model's config.json has them.
	Config json.RawMessage `json:"config"`
}

// Presets are the known models by name. An error is a fault of the embedded data.
func Presets() ([]Preset, error) {
	names, err := fs.Glob(presetFiles, "presets/*.json")
	if err != nil {
		return nil, fmt.Errorf("presets: %w", err)
	}
	var all []Preset
	for _, file := range names {
		preset, err := readPreset(file)
		if err != nil {
			return nil, err
		}
		all = append(all, preset)
	}
	return all, nil
}

func readPreset(file string) (Preset, error) {
	text, err := presetFiles.ReadFile(file)
	if err != nil {
		return Preset{}, fmt.Errorf("presets: %w", err)
	}
	preset := Preset{Name: strings.TrimSuffix(path.Base(file), ".json")}
	if err := json.Unmarshal(text, &preset); err != nil {
		return Preset{}, fmt.Errorf("preset %s: %w", preset.Name, err)
	}
	return preset, nil
}

// PresetNamed finds a preset by its name or by a model's name.
func PresetNamed(name string) (Preset, error) {
	file := "presets/" + name + ".json"
	if _, err := fs.Stat(presetFiles, file); err == nil {
		return readPreset(file)
	}
	all, err := Presets()
	if err != nil {
		return Preset{}, err
	}
	names := make([]string, 0, len(all))
	for _, p := range all {
		names = append(names, p.Name)
	}
	if p, ok := Suggest(name); ok {
		return p, nil
	}
	remedy := "give config, or one of "
	if near := nearest.Names(plain(name), names); len(near) > 0 {
		remedy = "did you mean " + strings.Join(near, ", ") + "? Otherwise " + remedy
	}
	return Preset{}, fieldError("preset", "is %q, which is not known: %s%s", excerpt.Of(name), remedy, strings.Join(names, ", "))
}

// Suggest finds the preset that a served model name seems to mean. It is a
// suggestion: names are chosen freely. A name with a word that may stand for
// another shape (distill, mini, 1b) suggests nothing.
func Suggest(model string) (Preset, bool) {
	all, err := Presets()
	if err != nil {
		return Preset{}, false
	}
	name := plain(model)
	for _, p := range all {
		for _, beginning := range p.Models {
			rest, ok := strings.CutPrefix(name, beginning)
			if ok && sameShape(rest) {
				return p, true
			}
		}
	}
	return Preset{}, false
}

// plain is a model's name as presets are named: in small letters, without organisation.
func plain(model string) string {
	return strings.ReplaceAll(strings.ToLower(path.Base(strings.TrimSpace(model))), "_", "-")
}

// sameShape reports whether what follows a model's name leaves its shape as it is.
func sameShape(rest string) bool {
	if rest == "" {
		return true
	}
	words, ok := strings.CutPrefix(rest, "-")
	if !ok {
		return false
	}
	harmless := regexp.MustCompile(`^(instruct|chat|it|base|hf|thinking|fp8|bf16|fp4|nvfp4|mxfp4|awq|gptq|int4|int8|w4a16|w8a8|dynamic|quantized|exp|terminus|\d{4}|v0\.\d)$`)
	for _, word := range strings.Split(words, "-") {
		if !harmless.MatchString(word) {
			return false
		}
	}
	return true
}

// suggestion names the preset that the size's model seems to mean, "" when none does.
func (s Size) suggestion() string {
	if _, expression := s.Expression(); expression {
		return ""
	}
	if p, ok := Suggest(s.Model); ok {
		return fmt.Sprintf(`; "preset": %q seems to be this model`, p.Name)
	}
	return ""
}
