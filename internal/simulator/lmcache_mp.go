package simulator

import "fmt"

// LMCacheMP is LMCache's MP server, one beside each prefill engine of vLLM: its L1 is
// host memory, its L2 external storage. The engine asks it for what its own prefix cache
// lacks of a prompt, and it keeps what it did not have. A field left out takes the
// default named with it.
type LMCacheMP struct {
	// HostHitShare and StorageHitShare are the mean shares of the tokens looked up that
	// are found in L1, and in L2 alone; together at most 0.9.
	HostHitShare    float64 `yaml:"hostHitShare"`
	StorageHitShare float64 `yaml:"storageHitShare"`
	// PoolBytes is the L1 pool of one server, at least ten of the largest prompts;
	// default 256 GiB. It begins as full as it stays.
	PoolBytes int64 `yaml:"poolBytes,omitempty"`
	// HostBytesPerSecond is the bandwidth between one GPU and host memory; default 50e9.
	HostBytesPerSecond float64 `yaml:"hostBytesPerSecond,omitempty"`
	// StorageBytesPerSecond is the bandwidth of one job to or from storage; default 5e9.
	StorageBytesPerSecond float64 `yaml:"storageBytesPerSecond,omitempty"`
	// LossShare is the share of prompts that lose one chunk between look-up and
	// retrieve, to each of three reasons in turn.
	LossShare float64 `yaml:"lossShare,omitempty"`
}

func (l LMCacheMP) withDefaults(groups []Group) (*LMCacheMP, error) {
	groups, err := served(groups, VLLM)
	if err != nil {
		return nil, err
	}
	setDefault(&l.PoolBytes, 256*gibibyte)
	setDefault(&l.HostBytesPerSecond, 50e9)
	setDefault(&l.StorageBytesPerSecond, 5e9)
	if !(l.HostHitShare >= 0 && l.StorageHitShare >= 0 && l.HostHitShare+l.StorageHitShare <= 0.9) {
		return nil, fmt.Errorf(": hostHitShare is %v and storageHitShare %v: give shares of which the sum is at most 0.9", l.HostHitShare, l.StorageHitShare)
	}
	if !(l.LossShare >= 0 && l.LossShare <= 1) {
		return nil, fmt.Errorf(".lossShare is %v: give a share from 0 to 1", l.LossShare)
	}
	if !(l.HostBytesPerSecond > 0 && l.StorageBytesPerSecond > 0) {
		return nil, fmt.Errorf(": hostBytesPerSecond is %v and storageBytesPerSecond %v: give positive numbers", l.HostBytesPerSecond, l.StorageBytesPerSecond)
	}
	for _, g := range groups {
		if need := 10 * float64(g.InputTokens.Max) * g.tokenBytes(); float64(l.PoolBytes) < need {
			return nil, fmt.Errorf(".poolBytes is %d: ten prompts of %s need %.0f", l.PoolBytes, g.Name, need)
		}
	}
	return &l, nil
}
