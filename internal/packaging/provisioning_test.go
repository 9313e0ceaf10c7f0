package packaging

import (
	"encoding/json"
	"path"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/config"
	httpdiscovery "github.com/prometheus/prometheus/discovery/http"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// datasources is Grafana's form of provisioned data sources.
type datasources struct {
	APIVersion  int `yaml:"apiVersion"`
	Datasources []struct {
		Name      string         `yaml:"name"`
		UID       string         `yaml:"uid"`
		Type      string         `yaml:"type"`
		Access    string         `yaml:"access"`
		URL       string         `yaml:"url"`
		IsDefault bool           `yaml:"isDefault"`
		Editable  bool           `yaml:"editable"`
		JSONData  map[string]any `yaml:"jsonData"`
	} `yaml:"datasources"`
}

// providers is Grafana's form of provisioned dashboards.
type providers struct {
	APIVersion int `yaml:"apiVersion"`
	Providers  []struct {
		Name                  string `yaml:"name"`
		Folder                string `yaml:"folder"`
		Type                  string `yaml:"type"`
		DisableDeletion       bool   `yaml:"disableDeletion"`
		AllowUIUpdates        bool   `yaml:"allowUiUpdates"`
		UpdateIntervalSeconds int    `yaml:"updateIntervalSeconds"`
		Options               struct {
			Path string `yaml:"path"`
		} `yaml:"options"`
	} `yaml:"providers"`
}

// provisioned are the settings as the plugin reads them.
func provisioned(t *testing.T) settings.Settings {
	t.Helper()
	var file datasources
	strictYAML(t, read(t, "provisioning", "datasources", "pdmonitor.yaml"), &file)
	require.Equal(t, 1, file.APIVersion)
	require.Len(t, file.Datasources, 1)
	source := file.Datasources[0]
	require.Equal(t, "pdmonitor", source.UID)
	require.Equal(t, pluginID, source.Type)
	require.Equal(t, "proxy", source.Access)
	jsonData, err := json.Marshal(source.JSONData)
	require.NoError(t, err)
	read, err := settings.FromInstance(t.Context(), backend.DataSourceInstanceSettings{URL: source.URL, JSONData: jsonData})
	require.NoError(t, err)
	return read
}

func TestTheDataSourceReadsTheComposedPrometheus(t *testing.T) {
	require.Equal(t, "http://prometheus:9090", provisioned(t).URL)
	require.Contains(t, compose(t).Services, "prometheus")
}

func TestEverySimulatedModelHasItsTrueRequestSize(t *testing.T) {
	sizes := provisioned(t).RequestSizes
	for _, group := range simulator.DefaultCluster().Groups {
		size, found := sizes.For(group.Model)
		require.True(t, found, group.Model)
		bytes, err := size.Bytes()
		require.NoError(t, err, group.Model)
		require.Equal(t, group.BytesPerRequest, bytes.PerRequest, group.Model)
	}
}

func TestTheScrapeIntervalIsTheOneOfPrometheus(t *testing.T) {
	require.Equal(t, time.Duration(prometheus(t).GlobalConfig.ScrapeInterval), provisioned(t).ScrapeInterval)
}

func TestTheDashboardsAreMountedWhereTheProviderLooks(t *testing.T) {
	var file providers
	strictYAML(t, read(t, "provisioning", "dashboards", "pdmonitor.yaml"), &file)
	require.Equal(t, 1, file.APIVersion)
	require.Len(t, file.Providers, 1)
	require.Equal(t, "file", file.Providers[0].Type)
	require.Equal(t, "./dashboards", mountedAt(compose(t).Services["grafana"], file.Providers[0].Options.Path))
}

// prometheus is the configuration, read by Prometheus' own loader.
func prometheus(t *testing.T) *config.Config {
	t.Helper()
	read, err := config.Load(string(read(t, "provisioning", "prometheus", "prometheus.yml")), promslog.NewNopLogger())
	require.NoError(t, err)
	return read
}

func TestPrometheusScrapesTheSimulatorEverySecond(t *testing.T) {
	cfg := prometheus(t)
	require.Equal(t, model.Duration(time.Second), cfg.GlobalConfig.ScrapeInterval)
	require.Len(t, cfg.ScrapeConfigs, 1)
	discovery, ok := cfg.ScrapeConfigs[0].ServiceDiscoveryConfigs[0].(*httpdiscovery.SDConfig)
	require.True(t, ok)
	require.Equal(t, "http://simulator:9100/sd", discovery.URL)
	require.Contains(t, compose(t).Services, "simulator")
}

func TestPrometheusIsGivenItsConfiguration(t *testing.T) {
	service := compose(t).Services["prometheus"]
	const at = "/etc/prometheus/prometheus.yml"
	require.Contains(t, service.Command, "--config.file="+at)
	require.Equal(t, "prometheus.yml", path.Base(mountedAt(service, at)))
}
