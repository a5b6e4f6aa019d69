package kernels

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/workload"
)

// Limits that keep a hostile manifest from taking memory or time without bound.
const (
	maxEntries   = 1000    // of any list
	maxBytes     = 8 << 30 // of all arrays together
	maxThreads   = 1024    // of a TB
	maxGrid      = 1<<31 - 1
	maxShared    = 1 << 20
	maxTurns     = 1_000_000 // of a repetition
	maxStream    = 1024
	maxRegisters = workload.NoReg
)

// checker keeps the first fault it meets in a manifest.
type checker struct {
	m     *Manifest
	err   error
	names map[string]bool
}

func (c *checker) fail(path, format string, args ...any) {
	if c.err == nil {
		c.err = c.m.errorf(path, format, args...)
	}
}

// expr checks an expression that must be there.
func (c *checker) expr(path string, e *Expr) {
	if !e.given() {
		c.fail(path, "is missing; it takes %s", e.Takes())
	}
	c.optional(path, e)
}

func (c *checker) optional(path string, e *Expr) {
	if e.fault != nil {
		c.fail(path, "is %q, which %v", e.text, e.fault)
	}
}

func (c *checker) exprs(path string, list []Expr) {
	c.count(path, len(list), 0)
	for i := range list {
		c.expr(fmt.Sprintf("%s[%d]", path, i), &list[i])
	}
}

// dimensions checks a grid or a block, which may be absent.
func (c *checker) dimensions(path string, list []Expr) {
	if len(list) > 3 {
		c.fail(path, "has %d entries; valid: one to three", len(list))
	}
	c.exprs(path, list)
}

func (c *checker) count(path string, n, least int) {
	if n < least || n > maxEntries {
		c.fail(path, "has %d entries; valid: %d to %d", n, least, maxEntries)
	}
}

// name checks a name that the manifest gives.
func (c *checker) name(path, name string) {
	if name == "" || span(name, letters+digits) != len(name) || strings.Contains(digits, name[:1]) {
		c.fail(path, "is %q; valid: letters, digits and underscores, a digit not first", name)
	}
	if _, reserved := functions[name]; reserved || slices.Contains([]string{"i", "block_x", "block_y", "block_z"}, name) {
		c.fail(path, "is %q, which expressions know already; valid: any other name", name)
	}
}

// fresh checks a name that nothing else has.
func (c *checker) fresh(path, name string) {
	c.name(path, name)
	if c.names[name] {
		c.fail(path, "is %q, the name of an earlier entry; valid: a name of its own", name)
	}
	c.names[name] = true
}

func (c *checker) manifest() {
	m := c.m
	if m.Name == "" {
		c.fail("name", "is missing; give the application a name")
	}
	c.count("abbr", len(m.Abbr), 0)
	for i, name := range m.Abbr {
		if name == "" || span(name, letters+digits+"+") != len(name) || slices.Contains(m.Abbr[:i], name) {
			c.fail("abbr", "has %q; valid: letters, digits, underscores and plus signs, once", name)
		}
	}
	if len(m.PTX) == 0 {
		c.fail("ptx", "is missing; give the path of a PTX file")
	}
	c.count("ptx", len(m.PTX), 0)
	for i, name := range m.PTX {
		if name == "" || slices.Contains(m.PTX[:i], name) {
			c.fail(c.pathOfPTX(i), "is %q; valid: the path of a PTX file, once", name)
		}
	}
	c.count("parameters", len(m.Parameters), 0)
	for i := range m.Parameters {
		c.parameter(fmt.Sprintf("parameters[%d]", i), &m.Parameters[i])
	}
	c.count("arrays", len(m.Arrays), 0)
	for i := range m.Arrays {
		c.array(fmt.Sprintf("arrays[%d]", i), &m.Arrays[i])
	}
	c.optional("heap", &m.Heap)
	c.count("textures", len(m.Textures), 0)
	for i := range m.Textures {
		c.texture(fmt.Sprintf("textures[%d]", i), &m.Textures[i])
	}
	c.count("kernels", len(m.Kernels), 1)
	kernels := map[string]bool{}
	for i := range m.Kernels {
		k, path := &m.Kernels[i], fmt.Sprintf("kernels[%d]", i)
		if kernels[k.Name] || k.Name == "" {
			c.fail(path+".name", "is %q; valid: a kernel of the PTX file, once", k.Name)
		}
		kernels[k.Name] = true
		c.kernel(path, k)
	}
	c.steps("steps", m.Steps)
}

func (c *checker) parameter(path string, p *Parameter) {
	c.fresh(path+".name", p.Name)
	sizes := p.sizes()
	given := 0
	for _, e := range sizes {
		c.optional(path, e)
		if e.given() {
			given++
		}
	}
	c.optional(path+".value", &p.Value)
	if p.Multiple < 0 {
		c.fail(path+".multiple", "is %d; valid: from 0", p.Multiple)
	}
	if p.Value.given() && given > 0 || !p.Value.given() && given < len(sizes) {
		c.fail(path, "must have either value, or all of %s", strings.Join(Sizes, ", "))
	}
}

// sizes are the values in the order of Sizes.
func (p *Parameter) sizes() []*Expr { return []*Expr{&p.Tiny, &p.Small, &p.Medium} }

func (c *checker) kernel(path string, k *Kernel) {
	c.dimensions(path+".block", k.Block)
	c.count(path+".demands", len(k.Demands), 0)
	archs := map[string]bool{}
	for i := range k.Demands {
		d, path := &k.Demands[i], fmt.Sprintf("%s.demands[%d]", path, i)
		if archs[d.Arch] || d.Arch == "" && len(k.Demands) > 1 {
			c.fail(path+".arch", "is %q; valid: one entry for each architecture, and its name if there are several", d.Arch)
		}
		archs[d.Arch] = true
		c.dimensions(path+".block", d.Block)
		if r := d.RegistersPerThread; r < 0 || r > maxRegisters {
			c.fail(path+".registers_per_thread", "is %d; valid: 1 to %d, or 0 for what the PTX is lowered to", r, maxRegisters)
		}
		if s := d.SharedBytesPerTB; s < 0 || s > maxShared {
			c.fail(path+".shared_bytes_per_tb", "is %d; valid: 0 to %d", s, maxShared)
		}
	}
}

func (c *checker) steps(path string, steps []Step) {
	c.count(path, len(steps), 1)
	for i := range steps {
		c.step(fmt.Sprintf("%s[%d]", path, i), &steps[i])
	}
}

func (c *checker) step(path string, s *Step) {
	var kinds []string
	for kind, given := range s.kinds() {
		if given {
			kinds = append(kinds, stepKinds[kind])
		}
	}
	if len(kinds) != 1 {
		c.fail(path, "has %d of the keys %s; valid: one", len(kinds), strings.Join(stepKinds, ", "))
		return
	}
	if _, given := c.m.at[path+".stream"]; given {
		switch {
		case s.Launch == nil && s.Upload == nil && s.Download == nil:
			c.fail(path+".stream", "is beside %s; valid: beside launch, upload or download", kinds[0])
		case s.Stream < 1 || s.Stream > maxStream:
			c.fail(path+".stream", "is %d; valid: whole numbers from 1 to %d", s.Stream, maxStream)
		}
	}
	path += "." + kinds[0]
	switch {
	case s.Launch != nil:
		l := s.Launch
		if c.m.kernel(l.Kernel) < 0 {
			var names []string
			for i := range c.m.Kernels {
				names = append(names, c.m.Kernels[i].Name)
			}
			c.fail(path+".kernel", "is %q, no entry of kernels; valid: %s", l.Kernel, strings.Join(names, ", "))
		}
		c.count(path+".grid", len(l.Grid), 1)
		c.dimensions(path+".grid", l.Grid)
		c.dimensions(path+".block", l.Block)
		c.optional(path+".shared", &l.Shared)
		for i := range l.Args {
			c.arg(fmt.Sprintf("%s.args[%d]", path, i), &l.Args[i])
		}
	case s.Upload != nil:
		c.count(path, len(s.Upload), 1)
	case s.Download != nil:
		c.count(path, len(s.Download), 1)
	case s.CPU != nil:
		c.expr(path, &s.CPU.amount)
	case s.Copy != nil:
		for key, e := range s.Copy.numbers() {
			c.optional(path+"."+copyKeys[key], e)
		}
	case s.Fill != nil:
		c.expr(path+".value", &s.Fill.Value)
		c.part(path, &s.Fill.Range)
	case s.Set != nil:
		c.expr(path+".index", &s.Set.Index)
		c.expr(path+".value", &s.Set.Value)
	case s.PrefixSum != nil:
		if s.PrefixSum.From == "" {
			c.fail(path+".from", "is missing; give the name of an array")
		}
	case s.Swap != nil:
		if len(s.Swap) != 2 {
			c.fail(path, "has %d names; valid: two", len(s.Swap))
		}
	case s.Let != nil:
		c.name(path+".name", s.Let.Name)
		c.expr(path+".value", &s.Let.Value)
	case s.Dump != nil:
		c.dump(path, s.Dump)
	case s.Expect != nil:
		c.expect(path, s.Expect)
	case s.Repeat != nil:
		r := s.Repeat
		c.optional(path+".times", &r.Times)
		c.optional(path+".while", &r.While)
		if r.Times.given() == r.While.given() {
			c.fail(path, "must have either times or while")
		}
		if r.Index != "" {
			c.name(path+".index", r.Index)
		}
		c.steps(path+".steps", r.Steps)
	}
}

var stepKinds = []string{"launch", "upload", "download", "cpu", "copy", "fill", "set", "prefix_sum", "swap", "let", "dump", "expect", "sync", "repeat"}

func (s *Step) kinds() []bool {
	return []bool{s.Launch != nil, s.Upload != nil, s.Download != nil, s.CPU != nil, s.Copy != nil, s.Fill != nil, s.Set != nil, s.PrefixSum != nil, s.Swap != nil, s.Let != nil, s.Dump != nil, s.Expect != nil, s.Sync, s.Repeat != nil}
}

var copyKeys = []string{"from_start", "to_start", "from_stride", "to_stride", "count"}

func (s *CopyStep) numbers() []*Expr {
	return []*Expr{&s.FromStart, &s.ToStart, &s.FromStride, &s.ToStride, &s.Count}
}

// launches checks the arguments of launches against the kernels of the PTX.
func (c *checker) launches(steps []Step, path string) {
	for i := range steps {
		s, path := &steps[i], fmt.Sprintf("%s[%d]", path, i)
		if s.Repeat != nil {
			c.launches(s.Repeat.Steps, path+".repeat.steps")
		}
		if s.Launch == nil || c.err != nil {
			continue
		}
		if f := c.m.entries[c.m.kernel(s.Launch.Kernel)]; len(f.Params) != len(s.Launch.Args) {
			c.fail(path+".launch.args", "has %s; valid: %d, the parameters of %s", workload.Count(len(s.Launch.Args), "entry"), len(f.Params), f.Name)
		}
	}
}
