package packaging

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// composeFile is the part of the compose specification that is used here, in its
// long forms; decoding is strict, so a misspelt key is a fault.
type composeFile struct {
	Name     string             `yaml:"name"`
	Services map[string]service `yaml:"services"`
}

type service struct {
	Image       string                `yaml:"image"`
	Build       *build                `yaml:"build"`
	Init        bool                  `yaml:"init"`
	Command     []string              `yaml:"command"`
	Environment map[string]string     `yaml:"environment"`
	Ports       []string              `yaml:"ports"`
	Volumes     []volume              `yaml:"volumes"`
	Healthcheck *healthcheck          `yaml:"healthcheck"`
	DependsOn   map[string]dependency `yaml:"depends_on"`
}

type build struct {
	Context    string `yaml:"context"`
	Dockerfile string `yaml:"dockerfile"`
}

type volume struct {
	Type     string `yaml:"type"`
	Source   string `yaml:"source"`
	Target   string `yaml:"target"`
	ReadOnly bool   `yaml:"read_only"`
	Bind     struct {
		CreateHostPath *bool `yaml:"create_host_path"`
	} `yaml:"bind"`
}

type healthcheck struct {
	Test     []string `yaml:"test"`
	Interval duration `yaml:"interval"`
	Timeout  duration `yaml:"timeout"`
	Retries  int      `yaml:"retries"`
}

type dependency struct {
	Condition string `yaml:"condition"`
}

type duration time.Duration

// UnmarshalYAML reads the specification's durations, such as 1m30s.
func (d *duration) UnmarshalYAML(node *yaml.Node) error {
	read, err := time.ParseDuration(node.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	*d = duration(read)
	return nil
}

// pinned is an image with a full version, so that the same file starts the same
// programs next year.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+\.\d+(-[a-z0-9.]+)?(@sha256:[0-9a-f]{64})?$`)

func compose(t *testing.T) composeFile {
	t.Helper()
	var file composeFile
	strictYAML(t, read(t, "docker-compose.yaml"), &file)
	return file
}
