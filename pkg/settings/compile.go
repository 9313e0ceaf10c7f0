package settings

import (
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Compile are the settings as the compiler reads them.
func (s Settings) Compile() compile.Options {
	roles := make(map[query.Role]string, len(s.Roles))
	for role, matchers := range s.Roles {
		roles[query.Role(role)] = matchers
	}
	return compile.Options{
		ScrapeInterval: s.ScrapeInterval,
		RankStrategy:   s.RankStrategy,
		Prefixes:       s.Prefixes,
		Roles:          roles,
		Labels:         s.Labels,
		Sizes:          s.RequestSizes,
		KVSource:       s.KVSource,
	}
}
