package plugin

import (
	"net/http"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// ListedPreset is a model whose KV cache is known, as GET /kv-presets answers.
type ListedPreset struct {
	// Name is what requestSizes takes as preset.
	Name string `json:"name"`
	// Model is how a served model that means it begins, without organisation.
	Model string `json:"model"`
	// Source is where its config was read, Date in which month.
	Source string `json:"source"`
	Date   string `json:"date"`
}

func (d *Datasource) getPresets(*http.Request) (any, error) {
	presets, err := kvcache.Presets()
	if err != nil {
		return nil, err
	}
	listed := make([]ListedPreset, 0, len(presets))
	for _, p := range presets {
		listed = append(listed, ListedPreset{Name: p.Name, Model: p.Models[0], Source: p.Source, Date: p.Read})
	}
	return Presets{Presets: listed}, nil
}

// Presets is the answer of GET /kv-presets.
type Presets struct {
	Presets []ListedPreset `json:"presets"`
}
