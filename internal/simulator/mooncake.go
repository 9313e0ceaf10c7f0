package simulator

import "fmt"

// Mooncake is a store cluster that the prefill engines of SGLang keep KV in: a client
// with a page of its own beside each, and one master. A field left out takes the default
// named with it.
type Mooncake struct {
	// HitShare is the mean share of the tokens looked up that the store holds, at most
	// 0.9. An engine looks up what its own prefix cache lacks of a prompt.
	HitShare float64 `yaml:"hitShare"`
	// CapacityBytes is the memory of the store over all clients, at least ten of the
	// largest prompts; default 1 TiB. It begins as full as it stays.
	CapacityBytes int64 `yaml:"capacityBytes,omitempty"`
	// FileCapacityBytes is its file storage, to which every batch is written as well;
	// default four times the memory.
	FileCapacityBytes int64 `yaml:"fileCapacityBytes,omitempty"`
	// BytesPerSecond is the bandwidth of one client's transfer; default 20e9.
	BytesPerSecond float64 `yaml:"bytesPerSecond,omitempty"`
	// LossShare is the share of prompts that lose one key between look-up and get, and
	// of evictions that free nothing because leases hold what they would take.
	LossShare float64 `yaml:"lossShare,omitempty"`
}

func (m Mooncake) withDefaults(groups []Group) (*Mooncake, error) {
	groups, err := served(groups, SGLang)
	if err != nil {
		return nil, err
	}
	setDefault(&m.CapacityBytes, 1024*gibibyte)
	setDefault(&m.FileCapacityBytes, 4*m.CapacityBytes)
	setDefault(&m.BytesPerSecond, 20e9)
	for _, p := range []struct {
		name  string
		value float64
		most  float64
	}{{"hitShare", m.HitShare, 0.9}, {"lossShare", m.LossShare, 1}} {
		if !(p.value >= 0 && p.value <= p.most) {
			return nil, fmt.Errorf(".%s is %v: give a share from 0 to %g", p.name, p.value, p.most)
		}
	}
	if !(m.BytesPerSecond > 0) {
		return nil, fmt.Errorf(".bytesPerSecond is %v: give a positive number", m.BytesPerSecond)
	}
	for _, g := range groups {
		need := 10 * float64(g.InputTokens.Max) * g.tokenBytes()
		if float64(m.CapacityBytes) < need || float64(m.FileCapacityBytes) < need {
			return nil, fmt.Errorf(": capacityBytes is %d and fileCapacityBytes %d: ten prompts of %s need %.0f", m.CapacityBytes, m.FileCapacityBytes, g.Name, need)
		}
	}
	return &m, nil
}
