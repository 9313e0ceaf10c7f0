package wire

import (
	"cmp"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

const head = `// Written by go tool mage wire from the Go side, which is the authority: alerts and shared dashboards never pass
// through this front end. Change the types and lists there, not this file.`

// list is the names that a type of Go has, and what both are called in TypeScript.
type list struct {
	name, one string
	of        reflect.Type
	names     []string
}

func listOf[T ~string](name, one string, names []T) list {
	l := list{name: name, one: one, of: reflect.TypeFor[T]()}
	for _, n := range names {
		l.names = append(l.names, string(n))
	}
	return l
}

func lists(known *catalog.Catalog) []list {
	var stats []query.Stat
	for _, s := range catalog.Statistics {
		stats = append(stats, s.Stat)
	}
	return []list{
		listOf("QUERY_TYPES", "QueryType", query.Types),
		listOf("STATS", "Stat", stats), // as the editor offers them
		listOf("ROLES", "Role", query.Roles),
		listOf("RATE_MODES", "RateMode", query.RateModes),
		listOf("FORMATS", "Format", query.Formats),
		listOf("FILTER_OPS", "FilterOp", query.Ops),
		listOf("INVENTORIES", "Inventory", query.Inventories),
		listOf("SEVERITIES", "Severity", []query.Severity{query.SeverityInfo, query.SeverityWarning, query.SeverityError}),
		listOf("SIGNAL_KINDS", "SignalKind", catalog.Kinds),
		listOf("RANK_STRATEGIES", "RankStrategy", compile.RankStrategies),
		listOf("KV_SOURCES", "KVSource", settings.KVSources(known)),
		listOf("HTTP_METHODS", "HTTPMethod", settings.HTTPMethods),
		listOf("LAYER_KINDS", "LayerKind", kvcache.Kinds),
		listOf("ROLE_BYS", "RoleBy", deployment.RoleBys),
	}
}

// structure is a type of Go and what it is called in TypeScript.
type structure struct {
	of   reflect.Type
	name string
}

func structures() []structure {
	return []structure{
		{reflect.TypeFor[query.Filter](), "LabelFilter"},
		{reflect.TypeFor[query.Query](), "Query"},
		{reflect.TypeFor[query.Notice](), "Notice"},
		{reflect.TypeFor[plugin.CompileCall](), "CompileRequest"},
		{reflect.TypeFor[plugin.Compiled](), "Compiled"},
		{reflect.TypeFor[plugin.ListedSignal](), "Signal"},
		{reflect.TypeFor[plugin.CatalogBinding](), "Binding"},
		{reflect.TypeFor[plugin.Catalog](), "Catalog"},
		{reflect.TypeFor[plugin.LabelValues](), "LabelValues"},
		{reflect.TypeFor[plugin.Curve](), "Curve"},
		{reflect.TypeFor[plugin.HealthDetails](), "HealthDetails"},
		{reflect.TypeFor[kvcache.Size](), "RequestSize"},
		{reflect.TypeFor[kvcache.Group](), "KVGroup"},
		{reflect.TypeFor[plugin.KVBytes](), "KVBytes"},
		{reflect.TypeFor[plugin.ListedPreset](), "Preset"},
		{reflect.TypeFor[plugin.Presets](), "Presets"},
		{reflect.TypeFor[plugin.MeasuredSize](), "MeasuredSize"},
		{reflect.TypeFor[plugin.ModelSize](), "ServedModel"},
		{reflect.TypeFor[plugin.ModelSizes](), "ServedModels"},
		{reflect.TypeFor[plugin.DiscoveredRole](), "DiscoveredRole"},
		{reflect.TypeFor[plugin.DiscoveredSystem](), "DiscoveredSystem"},
		{reflect.TypeFor[plugin.Matched](), "MatchedEngines"},
		{reflect.TypeFor[plugin.Discovery](), "Discovery"},
		{reflect.TypeFor[settings.StoredRoles](), "RoleMatchers"},
		{reflect.TypeFor[settings.Stored](), "Settings"},
	}
}

// otherwise says what some fields are where Go's type does not tell.
func otherwise() map[string]string {
	return map[string]string{
		"Query.bytesPerRequest": "number | string",         // a dashboard variable is replaced by a text
		"CompileRequest.query":  "Query",                   // read by itself, for its own errors
		"Binding.role":          "Role | 'all'",            // one number of all roles
		"RequestSize.config":    "Record<string, unknown>", // a config.json
	}
}

// File renders src/wire.gen.ts.
func File(c *catalog.Catalog) (string, error) {
	s := &script{types: map[reflect.Type]string{}, otherwise: otherwise(), used: map[string]bool{}}
	s.line("%s", head)
	s.line("")
	s.line("export const SCHEMA_VERSION = %d;", query.SchemaVersion)
	s.line("export const DEFAULT_QUANTILE = %s;", strconv.FormatFloat(query.DefaultQuantile, 'g', -1, 64))
	s.line("/** Every system that the server holds. */")
	s.line("export const SYSTEM_AUTO = %s;", quote(query.SystemAuto))
	for _, l := range lists(c) {
		s.types[l.of] = l.one
		s.names(l.name, l.one, l.names)
	}
	sizes(s)
	ofCatalog(s, c)
	for _, one := range structures() {
		s.types[one.of] = one.name
	}
	for _, one := range structures() {
		s.structure(one.of)
	}
	for _, at := range slices.Sorted(maps.Keys(s.otherwise)) {
		if !s.used[at] {
			s.fail("there is no field %s any more: take it out of internal/wire", at)
		}
	}
	return s.text.String(), s.err
}

// Write renders the file to a path.
func Write(path string) error {
	c, err := catalog.Load()
	if err != nil {
		return err
	}
	text, err := File(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// sizes are the fields of a request size by what they hold, and the names that they take.
func sizes(s *script) {
	var size kvcache.Size
	var counts, names, switches []string
	for _, f := range size.Fields() {
		switch {
		case f.Number != nil:
			counts = append(counts, f.Name)
		case f.Switch != nil:
			switches = append(switches, f.Name)
		case f.Name != "model" && f.Name != "preset": // which are free texts
			names = append(names, f.Name)
		}
	}
	s.names("COUNT_FIELDS", "CountField", counts)
	s.names("CHOICE_FIELDS", "ChoiceField", names)
	s.names("SWITCH_FIELDS", "SwitchField", switches)
	s.constant("KV_DTYPES", kvcache.Dtypes())
	s.constant("PLAIN_KV_DTYPES", kvcache.PlainDtypes())
	s.constant("STATE_DTYPES", kvcache.StateDtypes)
	s.constant("INDEX_DTYPES", kvcache.IndexDtypes)
	s.line("")
	s.object("CONNECTORS", func() {
		for _, engine := range kvcache.Engines {
			s.texts("  ", key(engine)+": ", kvcache.Connectors(engine), ",")
		}
	})
}

// ofCatalog are the names of the catalog that ships. A server's answer is the authority
// on those that it knows: it may have more.
func ofCatalog(s *script, c *catalog.Catalog) {
	var ids, groups, levels []string
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, signal := range c.Signals() {
		ids = append(ids, signal.ID)
		add(&groups, signal.Group)
		add(&levels, signal.Level)
	}
	s.names("GROUPS", "Group", groups)
	s.names("LEVELS", "Level", levels)
	labels := map[string]map[string]int{}
	s.line("")
	s.object("SYSTEMS", func() {
		for _, system := range c.Systems() {
			s.line("  %s: {", key(system.Name))
			s.line("    title: %s,", quote(system.Title))
			s.texts("    ", "prefixes: ", system.Prefixes, ",")
			s.line("  },")
			for logical, physical := range system.Labels {
				if labels[logical] == nil {
					labels[logical] = map[string]int{}
				}
				for _, name := range physical {
					labels[logical][name]++
				}
			}
		}
	})
	s.line("export type System = keyof typeof SYSTEMS;")
	s.line("")
	s.line("/** What systems call a logical label, the commonest first. */")
	s.object("LABELS", func() {
		for _, logical := range slices.Sorted(maps.Keys(labels)) {
			of := labels[logical]
			names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
				return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
			})
			s.texts("  ", key(logical)+": ", names, ",")
		}
	})
	s.union("SignalId", ids)
}
