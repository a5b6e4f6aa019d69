package wiring

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cotenant/sm"
	"cotenant/workload"
)

// maxSMs bounds the number of SMs.
const maxSMs = 1024

// BaseKind is the name of the kind of SM that Config.SM describes.
const BaseKind = "base"

// SMGroup is a number of SMs of one kind.
type SMGroup struct {
	Count int `yaml:"count"` // at least 1
	// Kind is BaseKind, which is the default, or a key of Config.SMKinds.
	Kind string `yaml:"kind"`
}

// SetDefaults makes SMGroup a strictyaml.Defaulter.
func (g *SMGroup) SetDefaults() { *g = SMGroup{Kind: BaseKind} }

// SMGroups says how many SMs a GPU has and of which kinds: SM numbers follow
// the list. A file may give a number alone, of SMs of the base kind.
type SMGroups []SMGroup

// EqualSMs are n SMs of the base kind.
func EqualSMs(n int) SMGroups { return SMGroups{{n, BaseKind}} }

// Count is the number of SMs of all kinds.
func (g SMGroups) Count() (n int) {
	for i := range g {
		n += g[i].Count
	}
	return n
}

// String lists the SMs, as in "8 big, 8 small".
func (g SMGroups) String() string {
	var list []string
	for i := range g {
		list = append(list, fmt.Sprintf("%d %s", g[i].Count, g[i].Kind))
	}
	return strings.Join(list, ", ")
}

// Short makes SMGroups a strictyaml.ShortList.
func (g *SMGroups) Short() any {
	*g = EqualSMs(0)
	return &(*g)[0].Count
}

// Takes says how SMs are written.
func (g *SMGroups) Takes() string {
	return "a whole number, or a list such as [{count: 8, kind: " + BaseKind + "}]"
}

// MarshalJSON writes what a file would say: the number alone if all are of the
// base kind.
func (g SMGroups) MarshalJSON() ([]byte, error) { return json.Marshal(g.written()) }

// MarshalYAML writes what a file would say.
func (g SMGroups) MarshalYAML() (any, error) { return g.written(), nil }

func (g SMGroups) written() any {
	if len(g) == 1 && g[0].Kind == BaseKind {
		return g[0].Count
	}
	return []SMGroup(g)
}

// MarshalYAML writes the configuration as a file that sets every field.
func (c Config) MarshalYAML() (any, error) {
	type fields Config
	return struct {
		fields `yaml:",inline"`
		Kinds  map[string]sm.Spec `yaml:"sm_kinds,omitempty"`
	}{fields(c), c.SMKinds}, nil
}

// SMInstance is one SM of a GPU.
type SMInstance struct {
	// Kind is a key of Config.SMKinds, or BaseKind.
	Kind string
	Spec sm.Spec
}

// Streams is what shapes the streams of real kernels.
func (c *Config) Streams() workload.Target {
	t := c.Target
	t.Numerics = c.SM.Tensor.Numerics
	t.ClusterLag = (c.SM.LSU.RemoteLatency + 1) / 2
	return t
}

// SpecOf are the parameters of a kind that the GPU knows.
func (c *Config) SpecOf(kind string) sm.Spec {
	if kind == BaseKind {
		return c.SM
	}
	return c.SMKinds[kind]
}

// SMList lists the SMs by number. It makes the list anew at every call.
func (c *Config) SMList() []SMInstance {
	list := make([]SMInstance, 0, c.SMs.Count())
	for _, g := range c.SMs {
		m := SMInstance{g.Kind, c.SpecOf(g.Kind)}
		for range g.Count {
			list = append(list, m)
		}
	}
	return list
}

// Kinds lists one SM of each kind that the GPU has, in the order of their first
// numbers.
func (c *Config) Kinds() (kinds []SMInstance) {
	for _, m := range c.SMList() {
		if !slices.ContainsFunc(kinds, func(o SMInstance) bool { return o.Kind == m.Kind }) {
			kinds = append(kinds, m)
		}
	}
	return kinds
}

// Threads is the number of threads that all SMs hold.
func (c *Config) Threads() (n int) {
	for _, m := range c.SMList() {
		n += m.Spec.Threads
	}
	return n
}

// validateSMs reports what is wrong with the SMs' kinds, or with their number.
func (c *Config) validateSMs() error {
	if c.SMs.Count() > maxSMs || len(c.SMs) < 2 && c.SMs.Count() < 1 {
		return fmt.Errorf("sms is %d, must be 1 to %d", c.SMs.Count(), maxSMs)
	}
	if err := c.validateGPCs(); err != nil {
		return err
	}
	kinds := slices.Sorted(maps.Keys(c.SMKinds))
	for _, kind := range kinds {
		spec := c.SMKinds[kind]
		if err := spec.Validate(); err != nil {
			return fmt.Errorf("sm_kinds.%s.%w", kind, err)
		}
		if a, b := spec.Tensor.Numerics, c.SM.Tensor.Numerics; a != b {
			return fmt.Errorf("sm_kinds.%s.tensor.numerics is %s, must be %s as of the base kind", kind, a, b)
		}
	}
	for i, g := range c.SMs {
		if g.Count < 1 || g.Count > maxSMs {
			return fmt.Errorf("sms[%d].count is %d, must be 1 to %d", i, g.Count, maxSMs)
		}
		if _, ok := c.SMKinds[g.Kind]; !ok && g.Kind != BaseKind {
			return fmt.Errorf("sms[%d].kind is %q; valid: %s", i, g.Kind, strings.Join(append([]string{BaseKind}, kinds...), ", "))
		}
	}
	return nil
}
