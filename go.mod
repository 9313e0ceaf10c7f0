module github.com/ptd-monitor/pdmonitor

go 1.26.7

require (
	github.com/grafana/grafana-foundation-sdk/go v0.0.22 // indirect
	github.com/grafana/grafana-plugin-sdk-go v0.299.0 // indirect
	github.com/magefile/mage v1.17.2 // indirect
	github.com/prometheus/client_golang v1.25.0 // indirect
	github.com/prometheus/common v0.74.0 // indirect
	github.com/prometheus/prometheus v0.316.0 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/sync v0.25.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

tool github.com/magefile/mage
