package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// connection says which server to ask and with which settings.
type connection struct{ url, settings string }

func (c *connection) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.url, "url", "", "`address` of the Prometheus-compatible server, such as http://localhost:9090")
	cmd.Flags().StringVar(&c.settings, "settings", "", "`file` with the data source settings, JSON or YAML: {url, jsonData, secureJsonData}")
}

// settingsFile is the file of --settings, in the shape of Grafana's provisioning.
type settingsFile struct {
	URL            string            `yaml:"url"`
	BasicAuth      bool              `yaml:"basicAuth"`
	BasicAuthUser  string            `yaml:"basicAuthUser"`
	JSONData       map[string]any    `yaml:"jsonData"`
	SecureJSONData map[string]string `yaml:"secureJsonData"`
}

// instance reads the settings as Grafana would hand them to the plugin. --url
// wins over the file's.
func (c *connection) instance() (backend.DataSourceInstanceSettings, error) {
	var file settingsFile
	if c.settings != "" {
		text, err := os.ReadFile(c.settings)
		if err != nil {
			return backend.DataSourceInstanceSettings{}, fmt.Errorf("--settings: %w", err)
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text)) // JSON is YAML
		decoder.KnownFields(true)
		if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) { // a file of comments sets nothing
			return backend.DataSourceInstanceSettings{}, fmt.Errorf("--settings %s: %w", c.settings, err)
		}
	}
	if c.url != "" {
		file.URL = c.url
	}
	jsonData, err := json.Marshal(file.JSONData)
	if err != nil {
		return backend.DataSourceInstanceSettings{}, fmt.Errorf("--settings %s: jsonData: %w", c.settings, err)
	}
	return backend.DataSourceInstanceSettings{
		URL: file.URL, JSONData: jsonData, DecryptedSecureJSONData: file.SecureJSONData,
		BasicAuthEnabled: file.BasicAuth, BasicAuthUser: file.BasicAuthUser,
	}, nil
}

// open makes the data source that the flags describe.
func (c *connection) open(ctx context.Context) (*plugin.Datasource, error) {
	instance, err := c.instance()
	if err != nil {
		return nil, err
	}
	return plugin.Open(ctx, instance)
}

// required refuses a command that needs a server and was given none.
func (c *connection) required(cmd *cobra.Command) error {
	if c.url == "" && c.settings == "" {
		return &wrongUse{command: cmd.CommandPath(), cause: errors.New("give --url or a --settings file with a url")}
	}
	return nil
}
