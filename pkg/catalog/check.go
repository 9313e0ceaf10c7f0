package catalog

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// What a catalog may say where it has a choice.
var (
	kinds  = []string{string(KindRate), string(KindTotal), string(KindGauge), string(KindDistribution), string(KindRatio), string(KindRestart)}
	levels = []string{"request", "operation", "batch", "server", "device"}
	types  = []string{string(TypeCounter), string(TypeGauge), string(TypeHistogram)}
	// engineRoles are those of an engine, bindingRoles those that a binding may be bound to.
	engineRoles  = []string{string(query.RolePrefill), string(query.RoleDecode), string(query.RoleUnified)}
	bindingRoles = append(slices.Clone(engineRoles), string(RoleAll))
)

// readable are the types of metrics that an answer of a kind can be made of: what a
// number is decides how it may be read, whatever its name ends in.
var readable = map[Kind][]Type{
	KindRate:         {TypeCounter},
	KindTotal:        {TypeCounter},
	KindGauge:        {TypeGauge},
	KindDistribution: {TypeHistogram},
	KindRatio:        {TypeCounter, TypeGauge},
	KindRestart:      {TypeCounter},
}

// identifier is what ids of signals and names of systems are written in.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// checker holds the parts of a catalog against each other.
type checker struct {
	*faults
	catalog *Catalog
	// labels are the logical labels that every system may use.
	labels []string
	// at says where signals and systems are defined, by id and name.
	signalAt, systemAt map[string]place
	// readBy are the signals that read another's metrics, by its id.
	readBy map[string][]Signal
	// bound are the bindings of each system in their order.
	bound map[string][]placed[Binding]
}

func (k *checker) groups(all []placed[Group]) {
	for _, p := range all {
		if _, twice := k.catalog.Group(p.one.Title); twice {
			k.add(p.at.key("group"), p.one.Title, "is a group already", "keep one of the two")
			continue
		}
		k.named(p.at.key("group"), p.one.Title, "a heading, such as Queues")
		for i, filter := range p.one.Filters {
			at := p.at.key("filters").item(i)
			if !slices.Contains(slices.Concat(k.labels, targetLabels), filter.Label) {
				k.unknown(at.key("label"), filter.Label, "logical label", slices.Concat(k.labels, targetLabels))
			}
			k.named(at.key("variable"), filter.Variable, "the name of a dashboard's variable")
		}
		k.catalog.groups = append(k.catalog.groups, p.one)
	}
}

// named insists on a text.
func (k *checker) named(at place, text, what string) {
	if strings.TrimSpace(text) == "" {
		k.add(at, "", "is missing", "write %s", what)
	}
}

func (k *checker) groupTitles() []string {
	var titles []string
	for _, g := range k.catalog.groups {
		titles = append(titles, g.Title)
	}
	return titles
}

// signals takes the signals into the catalog, each checked for itself.
func (k *checker) signals(all []placed[Signal]) {
	k.signalAt, k.readBy = map[string]place{}, map[string][]Signal{}
	for _, p := range all {
		s := p.one
		if s.TitleZH == "" && p.at.doc.own {
			s.TitleZH = s.Title
		}
		k.signal(p.at, s)
		if before, twice := k.signalAt[s.ID]; twice && s.ID != "" {
			k.add(p.at.key("id"), s.ID, "is defined twice", "choose another id, it is also in %s:%d", before.doc.name, before.line())
			continue
		}
		k.signalAt[s.ID] = p.at
		if s.Reads != "" {
			k.readBy[s.Reads] = append(k.readBy[s.Reads], s)
		}
		k.catalog.byID[s.ID] = len(k.catalog.signals)
		k.catalog.signals = append(k.catalog.signals, s)
	}
}

func (k *checker) signal(at place, s Signal) {
	if !identifier.MatchString(s.ID) {
		k.add(at.key("id"), s.ID, "is no id", "write small letters, digits and single underscores, such as decode_token_rate")
	}
	k.named(at.key("title"), s.Title, "what a picker shows")
	k.named(at.key("titleZh"), s.TitleZH, "the title in Chinese")
	k.named(at.key("meaning"), s.Meaning, "one line on what the number says")
	if !at.doc.own {
		k.named(at.key("sample"), s.Sample, "what one count is, such as request")
	}
	if strings.Contains(s.Meaning, "\n") {
		k.add(at.key("meaning"), s.Meaning, "has several lines", "write one line")
	}
	if !slices.Contains(k.groupTitles(), s.Group) {
		k.unknown(at.key("group"), s.Group, "group", k.groupTitles())
	}
	if !slices.Contains(levels, s.Level) {
		k.unknown(at.key("level"), s.Level, "level", levels)
	}
	if !slices.Contains(kinds, string(s.Kind)) {
		k.unknown(at.key("kind"), string(s.Kind), "kind", kinds)
	}
	switch {
	case s.Unit == "":
		k.add(at.key("unit"), "", "is missing", "write a unit of Grafana, such as s, Bps, reqps or suffix:tok/s; none for a plain number")
	case !isGrafanaUnit(s.Unit):
		k.add(at.key("unit"), s.Unit, "is no unit of Grafana", "%s", meant(s.Unit, append(slices.Clone(knownUnits()), "suffix:"+s.Unit)))
	}
	if d, err := s.LeastWindow(); err != nil || d < 0 || d == 0 && s.Window != "" {
		k.add(at.key("window"), s.Window, "is no duration", "write one such as 30s or 5m")
	}
	if s.Distrusted && s.Caution == "" {
		k.add(at.key("distrusted"), "", "has no reason", "say in caution why, and which signal is to be believed")
	}
}

// systems takes the systems and their bindings into the catalog, in the order of their
// names. What an own catalog says of a built-in system is added to it.
func (k *checker) systems(all []placed[file]) {
	k.systemAt, k.bound = map[string]place{}, map[string][]placed[Binding]{}
	known := map[string]System{}
	for _, p := range all {
		name := p.one.Name
		if !identifier.MatchString(name) || name == query.SystemAuto {
			k.add(p.at.key("system"), name, "is no name of a system", "write small letters, digits and single underscores, such as sglang")
			continue
		}
		before, twice := known[name]
		switch {
		case twice && k.systemAt[name].doc.own == p.at.doc.own:
			k.add(p.at.key("system"), name, "is defined twice", "put what both say into %s:%d", k.systemAt[name].doc.name, k.systemAt[name].line())
			continue
		case twice:
			known[name] = k.merged(p.at, before, p.one.System)
		default:
			known[name] = p.one.System
			k.systemAt[name] = p.at
		}
		if len(p.one.Bindings) == 0 {
			k.add(p.at.key("bindings"), "", "is missing", "bind a signal, such as {signal: requests_running, shape: sum, names: [running], type: gauge, from: server}")
		}
		for i, e := range p.one.Bindings {
			k.bind(p.at.key("bindings").item(i), known[name], e)
		}
	}
	for _, name := range sortedKeys(known) {
		system := known[name]
		for _, b := range k.bound[name] {
			system.Bindings = append(system.Bindings, b.one)
		}
		k.catalog.bySystem[name] = len(k.catalog.systems)
		k.catalog.systems = append(k.catalog.systems, system)
	}
}

// bind notes the bindings that an entry makes. An own one stands in place of the
// built-in one.
func (k *checker) bind(at place, system System, e entry) {
	if e.Signal == "" && len(e.Signals) == 0 {
		k.add(at.key("signal"), "", "is missing", "say which signal the metric is read for")
	}
	for _, b := range e.bindings(system) {
		list := k.bound[system.Name]
		i := slices.IndexFunc(list, func(other placed[Binding]) bool { return other.one.Signal == b.Signal })
		switch {
		case i < 0:
			k.bound[system.Name] = append(list, placed[Binding]{at, b})
		case at.doc.own && !list[i].at.doc.own:
			list[i] = placed[Binding]{at, b}
		default:
			k.add(at.key("signal"), b.Signal, "is bound twice", "make one binding of the two, with a list of sources; the other is at line %d", list[i].at.line())
		}
	}
}

// merged is a built-in system with what an own catalog adds to it.
func (k *checker) merged(at place, system, own System) System {
	system.Labels, system.Carries = maps.Clone(system.Labels), maps.Clone(system.Carries)
	add := func(field string, into *map[string][]string, more map[string][]string) {
		for _, name := range sortedKeys(more) {
			if _, taken := (*into)[name]; taken {
				k.add(at.key(field).key(name), "", "is the built-in system's", "leave it out, or describe a system of another name")
				continue
			}
			if *into == nil {
				*into = map[string][]string{}
			}
			(*into)[name] = more[name]
		}
	}
	add("labels", &system.Labels, own.Labels)
	add("carries", &system.Carries, own.Carries)
	system.Prefixes = slices.Concat(system.Prefixes, own.Prefixes)
	for field, set := range map[string]bool{
		"title": own.Title != "", "condition": own.Condition != "", "copies": own.Copies != nil, "ranks": own.Ranks != Ranks{},
		"identity": own.Identity != nil, "roles": own.Roles != nil, "connector": own.Connector, "reexport": own.Reexport != nil, "probe": own.Probe != "",
	} {
		if set {
			k.add(at.key(field), "", "is the built-in system's", "leave it out, or describe a system of another name")
		}
	}
	return system
}

// references finds what leads nowhere, once everything is there to lead to.
func (k *checker) references(p parts) {
	for _, one := range p.systems {
		if system, ok := k.catalog.System(one.one.Name); ok {
			k.system(one.at, one.one.System, system)
		}
	}
	typed := map[[2]string]Type{}
	for _, own := range []bool{false, true} { // where two do not agree, the own one is at fault
		for _, system := range k.catalog.systems {
			for _, b := range k.bound[system.Name] {
				if b.at.doc.own == own {
					k.binding(b.at, b.one, typed)
				}
			}
		}
	}
	for i, s := range k.catalog.signals {
		k.read(k.signalAt[s.ID], s)
		k.catalog.signals[i].OneSystem = k.oneSystem(k.signalAt[s.ID], s)
	}
}

// read checks whose metrics a signal reads.
func (k *checker) read(at place, s Signal) {
	if s.Reads != "" {
		other, ok := k.catalog.Signal(s.Reads)
		switch {
		case !ok:
			k.unknown(at.key("reads"), s.Reads, "signal", k.signalIDs())
			return
		case other.Reads != "":
			k.add(at.key("reads"), s.Reads, "has no metrics of its own", "name %s, which it reads", other.Reads)
			return
		}
	}
	if len(k.catalog.Bindings(s)) == 0 {
		k.add(at.key("id"), s.ID, "is exported by no system", "bind it in a system, or remove it")
	}
}

// oneSystem checks which systems a signal is read from one of, and adds those of an own
// catalog behind the built-in ones.
func (k *checker) oneSystem(at place, s Signal) []string {
	if len(s.OneSystem) == 0 {
		return nil
	}
	var binding []string
	for _, b := range k.catalog.Bindings(s) {
		binding = append(binding, b.System)
	}
	for i, name := range s.OneSystem {
		here := at.key("oneSystem").item(i)
		switch {
		case slices.Contains(s.OneSystem[:i], name):
			k.add(here, name, "is named twice", "keep the first")
		case k.isSystem(here, name) && !slices.Contains(binding, name):
			k.add(here, name, "does not export it", "bind the signal there, or name one of %s", strings.Join(binding, ", "))
		}
	}
	order := slices.Clone(s.OneSystem)
	for _, name := range binding {
		if slices.Contains(order, name) {
			continue
		}
		i := slices.IndexFunc(k.bound[name], func(b placed[Binding]) bool { return b.one.Signal == cmp.Or(s.Reads, s.ID) })
		if k.bound[name][i].at.doc.own {
			order = append(order, name)
			continue
		}
		k.add(at.key("oneSystem"), "", "lacks "+name+", which exports it too", "add it, the best first: none is read that is not in the list")
	}
	return order
}

func (k *checker) isSystem(at place, name string) bool {
	_, ok := k.catalog.System(name)
	if !ok {
		k.unknown(at, name, "system", sortedKeys(k.catalog.bySystem))
	}
	return ok
}

func (k *checker) signalIDs() []string { return sortedKeys(k.catalog.byID) }

// system checks what is written of a system; whole is the system with everything that
// is written of it elsewhere.
func (k *checker) system(at place, s, whole System) {
	if s.Title == "" && whole.Title == "" {
		k.add(at.key("title"), "", "is missing", "write what people call it")
	}
	for i, prefix := range s.Prefixes {
		here := at.key("prefixes").item(i)
		if prefix != "" && !model.LegacyValidation.IsValidMetricName(prefix) {
			k.add(here, prefix, "is no prefix of metric names", `write one such as sglang: or "" for none`)
		}
		// The later of two is at fault: an own catalog's, or the next by name.
		if i != slices.Index(s.Prefixes, prefix) || at.doc.own && slices.Index(whole.Prefixes, prefix) < len(whole.Prefixes)-len(s.Prefixes) {
			k.add(here, prefix, "is written twice", "keep the first")
		}
		for _, other := range k.catalog.systems {
			before := other.Name < whole.Name
			if at.doc.own != k.systemAt[other.Name].doc.own {
				before = at.doc.own
			}
			if prefix != "" && before && other.Name != whole.Name && slices.Contains(other.Prefixes, prefix) {
				k.add(here, prefix, "is a prefix of "+other.Name+" too", "give each system its own")
			}
		}
	}
	for _, logical := range sortedKeys(s.Labels) {
		here := at.key("labels").key(logical)
		if !at.doc.own && !slices.Contains(k.labels, logical) {
			k.unknown(here, logical, "logical label", k.labels)
		}
		k.physical(here, s.Labels[logical])
		if len(s.Labels[logical]) == 0 {
			k.add(here, "", "has no candidate", "name the system's label, such as [model_name]")
		}
	}
	for _, process := range sortedKeys(s.Carries) {
		k.logical(at.key("carries").key(process), whole, s.Carries[process])
	}
	k.logical(at.key("identity"), whole, s.Identity)
	k.physical(at.key("copies"), s.Copies)
	k.physical(at.key("reexport"), s.Reexport)
	k.ranks(at.key("ranks"), s)
	for i, label := range s.Copies {
		if s.Ranks.Data != "" && slices.Contains(s.Labels[s.Ranks.Data], label) {
			k.add(at.key("copies").item(i), label, "is no copy", "leave it out: each data-parallel rank has its own requests")
		}
	}
	if s.Roles != nil {
		k.roles(at.key("roles"), s)
	}
	if s.Probe != "" && !slices.Contains(k.exportedBy(s.Name), s.Probe) {
		k.unknown(at.key("probe"), s.Probe, "metric that a binding reads", k.exportedBy(s.Name))
	}
}

// exportedBy are the names of a system's own metrics.
func (k *checker) exportedBy(system string) []string {
	names := map[string]bool{}
	for _, b := range slices.Concat(slices.Collect(maps.Values(k.bound))...) {
		for _, s := range b.one.AllSources() {
			if s.Exporter == system {
				for _, name := range s.Names {
					names[name] = true
				}
			}
		}
	}
	return sortedKeys(names)
}

func (k *checker) ranks(at place, s System) {
	for field, label := range map[string]string{"tensor": s.Ranks.Tensor, "data": s.Ranks.Data} {
		if label != "" && len(s.Labels[label]) == 0 {
			k.unknown(at.key(field), label, "label of the system", sortedKeys(s.Labels))
		}
	}
}

func (k *checker) roles(at place, s System) {
	r := s.Roles
	if r.Label != "" {
		k.physical(at.key("label"), []string{r.Label})
		if len(r.Values) == 0 {
			k.add(at.key("values"), "", "is missing", "say which value of %s is which role, such as {prefill: prefill, decode: decode}", r.Label)
		}
	}
	if r.Label == "" && len(r.Values)+len(r.Lacking) > 0 {
		k.add(at.key("label"), "", "is missing", "name the label that carries the role")
	}
	seen := map[string]query.Role{}
	for _, role := range sortedKeys(r.Values) {
		here, value := at.key("values").key(string(role)), r.Values[role]
		if !slices.Contains(engineRoles, string(role)) {
			k.unknown(here, string(role), "role", engineRoles)
		}
		if other, twice := seen[value]; twice || value == "" {
			k.add(here, value, "tells no role", "give each role a value of its own, other than that of %s", cmp.Or(string(other), "an absent label"))
		}
		seen[value] = role
	}
	for i, process := range r.Lacking {
		if _, ok := s.Carries[process]; !ok {
			k.unknown(at.key("lacking").item(i), process, "process of the system", sortedKeys(s.Carries))
		}
	}
}

// physical checks names of labels as metrics have them.
func (k *checker) physical(at place, labels []string) {
	for i, label := range labels {
		here := at.item(i)
		if label == model.MetricNameLabel || !model.LegacyValidation.IsValidLabelName(label) {
			k.add(here, label, "is no name of a label", "write one such as model_name")
		}
		if i != slices.Index(labels, label) {
			k.add(here, label, "is written twice", "keep the first")
		}
	}
}

// logical checks labels by what they mean.
func (k *checker) logical(at place, s System, labels []string) {
	known := slices.Concat(k.labels, sortedKeys(s.Labels))
	for i, label := range labels {
		if !slices.Contains(known, label) {
			k.unknown(at.item(i), label, "logical label", known)
		}
		if i != slices.Index(labels, label) {
			k.add(at.item(i), label, "is written twice", "keep the first")
		}
	}
}

// binding checks one binding. typed are the types of metrics by exporter and name.
func (k *checker) binding(at place, b Binding, typed map[[2]string]Type) {
	signal, ok := k.catalog.Signal(b.Signal)
	switch {
	case b.Signal == "":
	case !ok:
		k.unknown(at.key("signal"), b.Signal, "signal", k.signalIDs())
	case signal.Reads != "":
		k.add(at.key("signal"), b.Signal, "has no metrics of its own", "bind %s, which it reads", signal.Reads)
	}
	if b.Role != query.RoleAny && !slices.Contains(bindingRoles, string(b.Role)) {
		k.unknown(at.key("role"), string(b.Role), "role", bindingRoles)
	}
	if signal.PDOnly && b.Role == query.RoleUnified {
		k.add(at.key("role"), string(b.Role), "has no such signal", "bind it to prefill or decode: it exists between the two alone")
	}
	if !slices.Contains(shapes, b.Shape) {
		k.unknown(at.key("shape"), string(b.Shape), "shape", shapeNames())
	}
	if _, ok := Units[b.Unit]; !ok {
		k.unknown(at.key("unit"), b.Unit, "exported unit", sortedKeys(Units))
	}
	if (len(b.Sources) == 0) == (len(b.Ratios) == 0) {
		k.add(at, "", "needs either sources or ratios", "write names and type, a list of sources, or a list of ratios")
	} else if ok && (signal.Kind == KindRatio) != (len(b.Ratios) > 0) {
		k.add(at, "", "does not fit signal "+b.Signal+" of kind "+string(signal.Kind), "ratios belong to signals of kind ratio, and only to them")
	}
	k.buckets(at.key("buckets"), b)
	if b.Since != "" && !strings.Contains(b.Since, " ") && !version.MatchString(b.Since) {
		k.add(at.key("since"), b.Since, "is no version", "write one such as v0.30, or in words which builds have it")
	}
	for _, role := range sortedKeys(b.Covers) {
		if !slices.Contains(engineRoles, string(role)) {
			k.unknown(at.key("covers").key(string(role)), string(role), "role", engineRoles)
		}
	}
	for i, label := range b.Always {
		if carried := k.carried(b.AllSources()); !slices.Contains(carried, label) {
			k.unknown(at.key("always").item(i), label, "label of its metrics", carried)
		}
	}
	k.sources(at, b, signal, typed)
}

var version = regexp.MustCompile(`^v?\d+(\.\d+)*$`)

func (k *checker) buckets(at place, b Binding) {
	switch {
	case len(b.Buckets) == 0:
	case len(b.Buckets) != 2:
		k.add(at, "", "has other than two numbers", "write the first and the last finite bound")
	case !(b.Buckets[0] < b.Buckets[1]) || math.IsInf(b.Buckets[0], 0) || math.IsInf(b.Buckets[1], 0):
		k.add(at, "", "does not rise", "write the first and the last finite bound, the smaller first")
	case slices.Contains(b.Types(), TypeCounter) || slices.Contains(b.Types(), TypeGauge):
		k.add(at, "", "has no histogram", "leave it out, or read a metric of type histogram")
	}
}

// carried are the logical labels of sources.
func (k *checker) carried(sources []Source) []string {
	labels := map[string]bool{}
	for _, s := range sources {
		exporter, _ := k.catalog.System(s.Exporter)
		for _, label := range slices.Concat(exporter.Carries[s.From], s.Has, sortedKeys(s.Labels)) {
			labels[label] = true
		}
	}
	return sortedKeys(labels)
}

// sources checks each source of a binding where it is written.
func (k *checker) sources(at place, b Binding, signal Signal, typed map[[2]string]Type) {
	check := func(at place, s Source) {
		k.source(at, s, typed)
		if s.Count || !slices.Contains(types, string(s.Type)) {
			return // series are counted whatever they say
		}
		for _, reader := range k.readers(signal) {
			if allowed, ok := readable[reader.Kind]; ok && !slices.Contains(allowed, s.Type) {
				k.add(at.key("type"), string(s.Type), "cannot be read as "+string(reader.Kind), "%s is made of a %s", reader.ID, allowed[0])
				return
			}
		}
		shape := cmp.Or(s.RankShape, b.Shape)
		if needs, ok := shapeTypes[shape]; ok && !slices.Contains(needs, s.Type) {
			k.add(at.key("type"), string(s.Type), "does not go with shape "+string(shape), "%s", shapeRemedy(s.Type))
		}
	}
	// A binding of one source has no list: its fields are the binding's.
	listed := b.Sources
	if child, _ := child(at.node(), "names"); child != nil {
		check(at, listed[0])
		listed = listed[1:]
	}
	for i, s := range listed {
		check(at.key("sources").item(i), s)
	}
	for i, r := range b.Ratios {
		here := at.key("ratios").item(i)
		for field, part := range map[string][]Source{"num": r.Num, "den": r.Den} {
			if len(part) == 0 {
				k.add(here.key(field), "", "is missing", "write the metrics of the numerator (num) and of the denominator (den)")
			}
			for j, s := range part {
				check(here.key(field).item(j), s)
			}
		}
		for j, label := range r.Split {
			if carried := k.carried(r.Num); !slices.Contains(carried, label) {
				k.unknown(here.key("split").item(j), label, "label of the numerator", carried)
			}
		}
	}
}

// readers are a signal and those that read its metrics.
func (k *checker) readers(signal Signal) []Signal {
	return append([]Signal{signal}, k.readBy[signal.ID]...)
}

// shapeTypes are the types that a shape can be carried out on; the others go with all.
var shapeTypes = map[Shape][]Type{
	ShapeGmax:  {TypeGauge},
	ShapeMax:   {TypeGauge},
	ShapeMin:   {TypeGauge},
	ShapeRavg:  {TypeCounter, TypeHistogram},
	ShapeShard: {TypeCounter, TypeHistogram},
}

func shapeRemedy(t Type) string {
	if t == TypeGauge {
		return "for a gauge take gmax where ranks repeat it, sum where each has its part, max, min, avg or gavg of shares"
	}
	return "for a counter or histogram take ravg where ranks repeat it, shard or sum where each has its part"
}

func shapeNames() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = string(s)
	}
	return names
}

func (k *checker) source(at place, s Source, typed map[[2]string]Type) {
	if len(s.Names) == 0 {
		k.add(at.key("names"), "", "is missing", "name the metric, without its prefix")
	}
	for i, name := range s.Names {
		k.metric(at.key("names").item(i), s, name)
		if i != slices.Index(s.Names, name) {
			k.add(at.key("names").item(i), name, "is written twice", "keep the first")
		}
		key := [2]string{s.Exporter, name}
		if before, ok := typed[key]; ok && before != s.Type {
			k.add(at.key("type"), string(s.Type), "is not what another binding says", "%s is a %s there: one of the two is wrong", name, before)
		} else if slices.Contains(types, string(s.Type)) {
			typed[key] = s.Type
		}
	}
	if !slices.Contains(types, string(s.Type)) {
		k.unknown(at.key("type"), string(s.Type), "type", types)
	}
	if s.RankShape != "" && !slices.Contains(shapes, s.RankShape) {
		k.unknown(at.key("rankShape"), string(s.RankShape), "shape", shapeNames())
	}
	for _, name := range sortedKeys(s.Versions) {
		if !slices.Contains(s.Names, name) {
			k.unknown(at.key("versions").key(name), name, "name of the metric", s.Names)
		}
	}
	if _, err := promql.ParseMatchers(s.Match); err != nil {
		k.add(at.key("match"), s.Match, "cannot be read", `write label matchers such as mode="decode",priority=""; %s`, err)
	}
	k.physical(at.key("extra"), s.Extra)
	if !k.isSystem(at.key("exporter"), s.Exporter) {
		return
	}
	exporter, _ := k.catalog.System(s.Exporter)
	if _, ok := exporter.Carries[s.From]; !ok {
		k.unknown(at.key("from"), s.From, "process of "+s.Exporter, sortedKeys(exporter.Carries))
	}
	k.logical(at.key("has"), exporter, s.Has)
	for _, logical := range sortedKeys(s.Labels) {
		here := at.key("labels").key(logical)
		if !slices.Contains(slices.Concat(k.labels, sortedKeys(exporter.Labels)), logical) {
			k.unknown(here, logical, "logical label", slices.Concat(k.labels, sortedKeys(exporter.Labels)))
		}
		if len(s.Labels[logical]) == 0 {
			k.add(here, "", "has no candidate", "name the metric's label, such as [model_name]")
		}
		k.physical(here, s.Labels[logical])
	}
}

// metric checks a name of a metric.
func (k *checker) metric(at place, s Source, name string) {
	switch {
	case !model.LegacyValidation.IsValidMetricName(name):
		k.add(at, name, "is no name of a metric", "write letters, digits, underscores and colons")
	case strings.HasSuffix(name, "_created"):
		k.add(at, name, "is a time of creation", "name the metric itself")
	case strings.HasSuffix(name, "_bucket"):
		k.add(at, name, "is a part of a histogram", "write type: histogram and the name without _bucket")
	case s.Type == TypeHistogram && (strings.HasSuffix(name, "_sum") || strings.HasSuffix(name, "_count")):
		k.add(at, name, "is a part of a histogram", "write its name without suffix, or type: counter to read that part alone")
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
