package sweeppage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cotenant/experiment/sweep"
	"cotenant/experiment/workloads"
	"cotenant/options"
	"cotenant/workload"
	"cotenant/workload/source"
)

// Points are the stored runs of two or more applications, ordered by policy, GPU and mix.
// Runs of single applications give the classes of applications outside the table. Pages
// are addresses of runs' own pages, by config_hash.
func Points(runs []*sweep.Known, pages map[string]string) []Point {
	c := newCollector(runs)
	var list []Point
	for _, k := range runs {
		if len(k.Apps) < 2 {
			continue
		}
		p := Point{Policy: shownPolicy(k.Policy), GPU: k.GPU, Setting: c.setting(k, ""), Series: c.setting(k, "seed"), Class: c.class(k), Page: pages[k.ConfigHash],
			Metrics:    [NumMetrics]float64{STP: float64(k.STP), ANTT: float64(k.ANTT), Fairness: float64(k.Fairness), HSpeedup: float64(k.HSpeedup), OverGoal: k.OverGoal()},
			IsolatedOn: cmp.Or(k.IsolatedGPU, k.GPU), Alike: alike(k)}
		for i, spec := range k.Apps {
			p.Mix = append(p.Mix, c.label(spec))
			t := &k.Tenants[i]
			p.IPC, p.Isolated = append(p.IPC, t.IPC), append(p.Isolated, float64(t.IsolatedIPC))
			p.Normalized = append(p.Normalized, float64(t.NormalizedIPC))
			p.Metrics[TotalIPC] += t.IPC
		}
		p.Command = []string{"cotenant"}
		for _, word := range k.Arguments() {
			p.Command = append(p.Command, options.Quoted(word))
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Point) int {
		return cmp.Or(strings.Compare(a.Policy, b.Policy), strings.Compare(a.GPU, b.GPU), slices.Compare(a.Mix, b.Mix), strings.Compare(a.Setting, b.Setting))
	})
	return list
}

// shownPolicy is a policy without numbers from other runs, because they do not make it
// another policy.
func shownPolicy(spec string) string {
	name, list, given := strings.Cut(spec, ":")
	if !given {
		return spec
	}
	kept := slices.DeleteFunc(strings.Split(list, ","), func(option string) bool { return strings.HasPrefix(option, "ipcs=") })
	if len(kept) == 0 {
		return name
	}
	return name + ":" + strings.Join(kept, ",")
}

// collector knows the common settings of runs, which the page does not repeat.
type collector struct {
	varies  map[string]bool            // parts of settings
	classes map[string]string          // of applications, by name
	alone   map[string]string          // class by specification
	common  map[string]map[string]bool // options of all runs of an application, by its name
}

// parts are the parts of a setting, each with its name.
func parts(k *sweep.Known) []struct{ name, text string } {
	window := "until " + k.Until
	if k.Cycles > 0 {
		window = workload.Count(k.Cycles, "cycle")
	}
	isolated, opcode := "", ""
	if k.IsolatedGPU != "" {
		isolated = "alone on " + k.IsolatedGPU
	}
	if k.UnknownOpcodeALU {
		opcode = "unknown opcodes as ALU"
	}
	return []struct{ name, text string }{{"window", window}, {"seed", fmt.Sprintf("seed %d", k.Seed)}, {"isolated", isolated}, {"opcode", opcode},
		{"parameters", strings.TrimPrefix(k.Words(), ", ")}, {"build", "build " + k.Program[:min(8, len(k.Program))]}}
}

// alike is the setting of the runs alone, but for their GPU.
func alike(k *sweep.Known) string {
	var list []string
	for _, p := range parts(k) {
		if p.name != "isolated" {
			list = append(list, p.text)
		}
	}
	return strings.Join(list, ", ")
}

func newCollector(runs []*sweep.Known) *collector {
	c := &collector{varies: map[string]bool{}, classes: map[string]string{}, alone: map[string]string{}, common: map[string]map[string]bool{}}
	if kept, err := workloads.Kept("small"); err == nil { // embedded data
		for _, a := range kept.Apps {
			c.classes[a.Name] = a.Class()
		}
	}
	first := map[string]string{}
	for _, k := range runs {
		if len(k.Apps) == 1 {
			if _, known := c.alone[k.Apps[0]]; !known && len(k.Stalls) > 0 {
				c.alone[k.Apps[0]] = (&workloads.Counts{Stalls: k.Stalls}).Class()
			}
			continue
		}
		for _, p := range parts(k) {
			if was, seen := first[p.name]; seen && was != p.text {
				c.varies[p.name] = true
			}
			first[p.name] = p.text
		}
		for _, spec := range k.Apps {
			c.learn(spec)
		}
	}
	return c
}

// learn records the options that an application always has.
func (c *collector) learn(spec string) {
	name, list := split(spec)
	if c.common[name] == nil {
		c.common[name] = map[string]bool{}
		for _, option := range list {
			c.common[name][option] = true
		}
	}
	for option := range c.common[name] {
		if !slices.Contains(list, option) {
			c.common[name][option] = false
		}
	}
}

func split(spec string) (name string, list []string) {
	name, text, given := strings.Cut(spec, "?")
	if given {
		list = strings.Split(text, "&")
	}
	return name, list
}

// label names an application by its name and its varying options.
func (c *collector) label(spec string) string {
	name, list := split(spec)
	list = slices.DeleteFunc(list, func(option string) bool { return c.common[name][option] })
	if len(list) == 0 {
		return name
	}
	return name + "?" + strings.Join(list, "&")
}

// setting tells a run from further runs of its mix, policy and GPU, by all parts of settings
// but the one named without; "" if there is no need.
func (c *collector) setting(k *sweep.Known, without string) string {
	var list []string
	for _, p := range parts(k) {
		if c.varies[p.name] && p.text != "" && p.name != without {
			list = append(list, p.text)
		}
	}
	return strings.Join(list, ", ")
}

// class is the class of a mix: the classes of its applications; "" if one is unknown.
func (c *collector) class(k *sweep.Known) string {
	var list []string
	for i, spec := range k.Apps {
		class, known := c.classes[k.Names[i]]
		if !known {
			name, _, err := source.Split(spec) // as it runs alone
			if err != nil {
				return ""
			}
			if class, known = c.alone[name]; !known {
				return ""
			}
		}
		list = append(list, class)
	}
	slices.Sort(list)
	return strings.Join(list, "+")
}

// Count counts runs, mixes, policies and GPUs in a line.
func Count(points []Point) string {
	var mixes, policies, gpus names
	for i := range points {
		mixes.of(strings.Join(points[i].Mix, " + "))
		policies.of(points[i].Policy)
		gpus.of(points[i].GPU)
	}
	list := []string{workload.Count(len(points), "run"), fmt.Sprintf("%d mixes", len(mixes.list)), fmt.Sprintf("%d policies", len(policies.list)), workload.Count(len(gpus.list), "GPU")}
	if len(mixes.list) == 1 {
		list[1] = "1 mix"
	}
	if len(policies.list) == 1 {
		list[2] = "1 policy"
	}
	return strings.Join(list, ", ")
}
