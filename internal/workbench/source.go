package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// UID and Name are how the page knows the one data source.
const (
	UID  = "pdmonitor"
	Name = "PD Monitor"
)

// source is the data source with its settings of the moment. Both are replaced
// together by the settings page and are kept in memory alone.
type source struct {
	mu       sync.RWMutex
	settings backend.DataSourceInstanceSettings
	instance *plugin.Datasource
}

func newSource(ctx context.Context, settings backend.DataSourceInstanceSettings) (*source, error) {
	s := &source{}
	return s, s.replace(ctx, settings)
}

// replace makes a new instance from settings, as Grafana does after a change.
func (s *source) replace(ctx context.Context, settings backend.DataSourceInstanceSettings) error {
	settings.ID, settings.UID, settings.Name, settings.Type = 1, UID, Name, plugin.ID
	if len(settings.JSONData) == 0 || string(settings.JSONData) == "null" {
		settings.JSONData = json.RawMessage("{}")
	}
	made, err := plugin.Open(ctx, settings)
	if err != nil {
		return fmt.Errorf("open the data source: %w", err)
	}
	s.mu.Lock()
	old := s.instance
	s.settings, s.instance = settings, made
	s.mu.Unlock()
	if old != nil {
		old.Dispose() // only idle connections: queries under way end as they are
	}
	return nil
}

func (s *source) current() (*plugin.Datasource, backend.DataSourceInstanceSettings) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.instance, s.settings
}

func (s *source) close() {
	instance, _ := s.current()
	instance.Dispose()
}

func pluginContext(settings backend.DataSourceInstanceSettings) backend.PluginContext {
	return backend.PluginContext{Namespace: "default", PluginID: plugin.ID, DataSourceInstanceSettings: &settings}
}

// stored is a data source as Grafana's API shows it to the settings page: secrets
// by name only.
type stored struct {
	ID               int64             `json:"id"`
	UID              string            `json:"uid"`
	OrgID            int64             `json:"orgId"`
	Name             string            `json:"name"`
	Type             string            `json:"type"`
	TypeName         string            `json:"typeName"`
	Access           string            `json:"access"`
	URL              string            `json:"url"`
	User             string            `json:"user"`
	Database         string            `json:"database"`
	BasicAuth        bool              `json:"basicAuth"`
	BasicAuthUser    string            `json:"basicAuthUser"`
	WithCredentials  bool              `json:"withCredentials"`
	IsDefault        bool              `json:"isDefault"`
	JSONData         json.RawMessage   `json:"jsonData"`
	SecureJSONFields map[string]bool   `json:"secureJsonFields"`
	SecureJSONData   map[string]string `json:"secureJsonData,omitempty"` // read, never written
	ReadOnly         bool              `json:"readOnly"`
}

func (s *source) show(w http.ResponseWriter, _ *http.Request) {
	_, settings := s.current()
	answer(w, http.StatusOK, describe(settings))
}

func describe(settings backend.DataSourceInstanceSettings) stored {
	secrets := map[string]bool{}
	for name, value := range settings.DecryptedSecureJSONData {
		secrets[name] = value != ""
	}
	return stored{
		ID: settings.ID, UID: settings.UID, OrgID: 1, Name: settings.Name, Type: settings.Type, TypeName: Name, Access: "proxy",
		URL: settings.URL, User: settings.User, Database: settings.Database, BasicAuth: settings.BasicAuthEnabled, BasicAuthUser: settings.BasicAuthUser,
		IsDefault: true, JSONData: settings.JSONData, SecureJSONFields: secrets,
	}
}

// change takes what the settings page sends. A secret that it does not send stays.
func (s *source) change(w http.ResponseWriter, r *http.Request) {
	var sent stored
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		fail(w, http.StatusBadRequest, "the settings cannot be read: "+err.Error())
		return
	}
	_, settings := s.current()
	secrets := maps.Clone(settings.DecryptedSecureJSONData)
	if secrets == nil {
		secrets = map[string]string{}
	}
	maps.Copy(secrets, sent.SecureJSONData)
	settings.URL, settings.User, settings.Database = sent.URL, sent.User, sent.Database
	settings.BasicAuthEnabled, settings.BasicAuthUser = sent.BasicAuth, sent.BasicAuthUser
	settings.JSONData, settings.DecryptedSecureJSONData = sent.JSONData, secrets
	if err := s.replace(context.WithoutCancel(r.Context()), settings); err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	_, settings = s.current()
	answer(w, http.StatusOK, map[string]any{"datasource": describe(settings), "message": "Datasource updated"})
}

// frontendSettings are what Grafana boots a page with, of which the data sources
// are used here.
func (s *source) frontendSettings(w http.ResponseWriter, _ *http.Request) {
	_, settings := s.current()
	answer(w, http.StatusOK, map[string]any{
		"defaultDatasource": Name,
		"datasources": map[string]any{Name: map[string]any{
			"id": settings.ID, "uid": UID, "type": plugin.ID, "name": Name, "isDefault": true, "access": "proxy",
			"url": "/api/datasources/proxy/uid/" + UID, "jsonData": settings.JSONData, "readOnly": false,
			"meta": map[string]any{"id": plugin.ID, "name": Name, "type": "datasource", "metrics": true, "annotations": true},
		}},
	})
}
