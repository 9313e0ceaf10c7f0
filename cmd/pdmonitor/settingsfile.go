package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// connection says which server to ask and with which settings.
type connection struct{ url, settings, catalog string }

func (c *connection) flags(cmd *cobra.Command) {
	c.addressFlag(cmd, "url", "`address` of the Prometheus-compatible server, such as http://localhost:9090")
	cmd.Flags().StringVar(&c.settings, "settings", "", "`file` with the data source settings, JSON or YAML: {url, jsonData, secureJsonData}")
	c.catalogFlag(cmd)
}

// catalogFlag makes the flag of an own catalog, which is the setting of that name.
func (c *connection) catalogFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.catalog, "catalog", "", "`file` with systems, bindings and signals of your own, YAML, added to the built-in ones")
}

// addressFlag makes a flag of the server's address. What is none is refused before the
// command reads, asks or serves anything.
func (c *connection) addressFlag(cmd *cobra.Command, name, usage string) {
	cmd.Flags().StringVar(&c.url, name, "", usage)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := c.checkAddress(cmd, name); err != nil {
			return &wrongUse{command: cmd.CommandPath(), cause: err}
		}
		return nil
	}
}

// checkAddress asks the settings, which know what an address is and do not repeat it: it
// may hold a password. An empty one is most often a variable of a script that is not set;
// the command would look at nothing and not say so.
func (c *connection) checkAddress(cmd *cobra.Command, name string) error {
	if cmd.Flags().Changed(name) && strings.TrimSpace(c.url) == "" {
		return fmt.Errorf("--%s is empty: give the address of the server, for example http://prometheus:9090, or leave the flag out", name)
	}
	if _, err := settings.FromInstance(cmd.Context(), backend.DataSourceInstanceSettings{URL: c.url}); err != nil {
		return fmt.Errorf("--%s %s", name, strings.TrimPrefix(err.Error(), "url "))
	}
	return nil
}

// settingsFile is the file of --settings, in the shape of Grafana's provisioning.
type settingsFile struct {
	URL            string            `yaml:"url"`
	BasicAuth      bool              `yaml:"basicAuth"`
	BasicAuthUser  string            `yaml:"basicAuthUser"`
	JSONData       map[string]any    `yaml:"jsonData"`
	SecureJSONData map[string]string `yaml:"secureJsonData"`
}

// instance reads the settings as Grafana would hand them to the plugin. --url and
// --catalog win over the file's.
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
	if c.catalog != "" {
		text, err := os.ReadFile(c.catalog)
		if err != nil {
			return backend.DataSourceInstanceSettings{}, fmt.Errorf("--catalog: %w", err)
		}
		if _, err := catalog.WithText(c.catalog, string(text)); err != nil {
			return backend.DataSourceInstanceSettings{}, fmt.Errorf("--catalog: %w", err)
		}
		if file.JSONData == nil {
			file.JSONData = map[string]any{}
		}
		file.JSONData["catalog"] = string(text)
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
