package packaging

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServicesHaveOnePinnedImageOrABuild(t *testing.T) {
	for name, s := range compose(t).Services {
		require.True(t, (s.Image == "") != (s.Build == nil), "%s: an image or a build, not both", name)
		if s.Image != "" {
			require.Regexp(t, pinned, s.Image, name)
			continue
		}
		require.DirExists(t, inRepository(s.Build.Context), name)
		require.FileExists(t, inRepository(s.Build.Context, s.Build.Dockerfile), name)
	}
}

func TestServicesAreChecked(t *testing.T) {
	for name, s := range compose(t).Services {
		require.NotNil(t, s.Healthcheck, name)
		require.Contains(t, []string{"CMD", "CMD-SHELL"}, s.Healthcheck.Test[0], name)
		require.Greater(t, len(s.Healthcheck.Test), 1, name)
		require.Positive(t, s.Healthcheck.Interval, name)
		require.Positive(t, s.Healthcheck.Timeout, name)
		require.Positive(t, s.Healthcheck.Retries, name)
	}
}

func TestServicesWaitForHealthyServicesThatExist(t *testing.T) {
	file := compose(t)
	for name, s := range file.Services {
		for on, d := range s.DependsOn {
			require.Contains(t, file.Services, on, name)
			require.Equal(t, "service_healthy", d.Condition, name)
		}
	}
}

func TestPortsAreOpenOnThisMachineOnly(t *testing.T) {
	for name, s := range compose(t).Services {
		for _, port := range s.Ports {
			require.True(t, strings.HasPrefix(port, "127.0.0.1:"), "%s: %s", name, port)
		}
	}
}

func TestMountedPathsExist(t *testing.T) {
	for name, s := range compose(t).Services {
		for _, v := range s.Volumes {
			require.Equal(t, "bind", v.Type, name)
			require.True(t, strings.HasPrefix(v.Source, "./"), "%s: %s", name, v.Source)
			require.True(t, path.IsAbs(v.Target), "%s: %s", name, v.Target)
			require.NotNil(t, v.Bind.CreateHostPath, "%s: %s", name, v.Source)
			require.False(t, *v.Bind.CreateHostPath, "%s: a missing %s must not become an empty folder", name, v.Source)
			if v.Source == "./dist" {
				continue // built first
			}
			_, err := os.Stat(inRepository(v.Source))
			require.NoError(t, err, name)
		}
	}
}

func TestGrafanaLoadsThePluginAndRefreshesEverySecond(t *testing.T) {
	grafana := compose(t).Services["grafana"]
	require.Equal(t, pluginID, grafana.Environment["GF_PLUGINS_ALLOW_LOADING_UNSIGNED_PLUGINS"])
	require.Equal(t, "1s", grafana.Environment["GF_DASHBOARDS_MIN_REFRESH_INTERVAL"])
	require.Equal(t, "./dist", mountedAt(grafana, "/var/lib/grafana/plugins/"+pluginID))
	require.Equal(t, "./provisioning/datasources", mountedAt(grafana, "/etc/grafana/provisioning/datasources"))
	require.Equal(t, "./provisioning/dashboards", mountedAt(grafana, "/etc/grafana/provisioning/dashboards"))
	require.Equal(t, "./provisioning/alerting", mountedAt(grafana, "/etc/grafana/provisioning/alerting"))
	home := grafana.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	require.FileExists(t, inRepository(mountedAt(grafana, path.Dir(home)), path.Base(home)))
}

func TestGrafanaIsOneThatThePluginSupports(t *testing.T) {
	_, version, _ := strings.Cut(compose(t).Services["grafana"].Image, ":")
	least, ok := strings.CutPrefix(plugin(t).Dependencies.GrafanaDependency, ">=")
	require.True(t, ok)
	require.GreaterOrEqual(t, slices.Compare(numbers(t, version), numbers(t, least)), 0, "%s is older than %s", version, least)
}

func TestPrometheusIsOfTheThirdMajorVersion(t *testing.T) {
	require.True(t, strings.HasPrefix(compose(t).Services["prometheus"].Image, "prom/prometheus:v3."))
}

// numbers are the parts of a version, of which only those before a hyphen count.
func numbers(t *testing.T, version string) []int {
	t.Helper()
	version, _, _ = strings.Cut(version, "-")
	var parts []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		require.NoError(t, err, version)
		parts = append(parts, n)
	}
	return parts
}

// mountedAt is the source of the volume at a target, "" if there is none.
func mountedAt(s service, target string) string {
	for _, v := range s.Volumes {
		if v.Target == target {
			return v.Source
		}
	}
	return ""
}
