package profile

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/strictyaml"
)

// builtin holds the built-in profiles: the ten applications of the Parboil
// suite that the SMK paper and Tanasic's thesis use.
//
//go:embed builtin/*.yaml
var builtin embed.FS

// format is how a profile is written.
var format = strictyaml.List("a profile", "the profile", "name and kernels")

// Open reads the profile at a path and makes its application. arch chooses
// among the demands of the kernels, as for App. Streams follow from seed.
// An error is one line that names the file and, where there is one, the line; that
// of an unknown arch lists the valid ones.
func Open(file, arch string, seed uint64) (*workload.App, error) {
	data, err := format.ReadFile(file)
	if err != nil {
		return nil, err
	}
	app, err := load(file, data, arch, seed)
	if err != nil {
		return nil, err
	}
	app.Files = []string{file}
	return app, nil
}

// Builtin makes a built-in application by name, for arch "" (the GTX980 demands
// of the SMK paper where it gives them, and the K20c's otherwise), "gtx980" or
// "k20c". An error lists the valid names or architectures.
func Builtin(name, arch string, seed uint64) (*workload.App, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown profile %q; valid: %s", name, strings.Join(Names(), ", "))
	}
	data, err := builtin.ReadFile(path.Join("builtin", name+".yaml"))
	if err != nil {
		return nil, err
	}
	return load("profile:"+name, data, arch, seed)
}

// Names lists the built-in profiles in alphabetical order.
func Names() []string {
	entries, _ := builtin.ReadDir("builtin")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

func load(file string, data []byte, arch string, seed uint64) (*workload.App, error) {
	s, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	return s.App(arch, seed)
}

// parse reads and validates a profile.
func parse(file string, data []byte) (*Spec, error) {
	doc, err := format.Parse(file, data)
	if err != nil {
		return nil, err
	}
	s := &Spec{at: strictyaml.Positions{}}
	if err := doc.Decode(s, s.at); err != nil {
		return nil, err
	}
	var fault *fieldError
	if err := s.Validate(); errors.As(err, &fault) {
		return nil, s.at.Nearest(fault.path).Errorf("%v", err)
	}
	return s, nil
}

// origin is the file and line that state a kernel's demands; "" if the profile is
// from no file.
func (s *Spec) origin(kernel, demand int) string {
	if s.at == nil {
		return ""
	}
	return s.at.Nearest(fmt.Sprintf("kernels[%d].demands[%d]", kernel, demand)).String()
}

// App makes the application that the profile describes. arch chooses among the
// demands of the kernels: where there are none of that name, and for "", the
// first. It returns the errors of Validate, and an error that lists the
// valid architectures.
func (s *Spec) App(arch string, seed uint64) (*workload.App, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var named []string
	for i := range s.Kernels {
		named = append(named, s.Kernels[i].archs()...)
	}
	if err := workload.CheckArch(named, arch); err != nil {
		return nil, err
	}
	kernels := make([]*workload.Kernel, len(s.Kernels))
	for i := range s.Kernels {
		k := &s.Kernels[i]
		chosen := workload.ChooseDemand(k.archs(), arch)
		d := &k.Demands[chosen]
		kernels[i] = &workload.Kernel{
			Name:             k.Name,
			Grid:             workload.Dim3{X: k.TBs, Y: 1, Z: 1},
			Block:            workload.Dim3{X: d.Threads, Y: 1, Z: 1},
			RegistersPerTB:   d.registersPerTB(),
			SharedBytesPerTB: d.SharedBytesPerTB,
			Idempotent:       k.idempotent(),
			AnyShape:         true,
			Origin:           s.origin(i, chosen),
			Source:           compile(k, d, seed),
		}
	}
	app := &workload.App{Name: s.Name}
	for _, i := range s.order() {
		app.Ops = append(app.Ops, workload.Op{Kernel: kernels[i]})
	}
	return app, nil
}

// idempotent reports whether the kernel is without atomic operations on global
// memory. A profile has no values, so nothing else can tell one run of a thread
// block from the next.
func (k *Kernel) idempotent() bool {
	for i := range k.Phases {
		if m := &k.Phases[i].Mix; m.Atomic > 0 || m.Reduction > 0 {
			return false
		}
	}
	return true
}

func (k *Kernel) archs() (names []string) {
	for i := range k.Demands {
		names = append(names, k.Demands[i].Arch)
	}
	return names
}

// order lists the kernels' launches by number.
func (s *Spec) order() []int {
	var order []int
	for first := 0; first < len(s.Kernels); {
		end := first + 1
		for loop := s.Kernels[first].Loop; loop != "" && end < len(s.Kernels) && s.Kernels[end].Loop == loop; {
			end++
		}
		for turn, more := 0, true; more; turn++ {
			more = false
			for i := first; i < end; i++ {
				if turn < s.Kernels[i].Launches {
					order = append(order, i)
					more = true
				}
			}
		}
		first = end
	}
	return order
}
