package workloads

import (
	"context"
	"fmt"
	"slices"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/fcfs" // the policy of a tenant alone
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/source"
)

// Kernel is one kernel of an application.
type Kernel struct {
	App  string `json:"app"`
	Name string `json:"kernel"`
	// Grid, Block and SharedBytesPerTB of its first launch.
	Grid               [3]int `json:"grid"`
	Block              [3]int `json:"block"`
	RegistersPerThread int    `json:"registers_per_thread"`
	SharedBytesPerTB   int    `json:"shared_bytes_per_tb"`
	// Demands names the GPU for which registers and shared memory were
	// published; "PTX" if they follow from the code.
	Demands  string `json:"demands"`
	Launches int    `json:"launches"`
	Counts
}

// Shape is the kernel's first launch, without instructions.
func (k *Kernel) Shape() *workload.Kernel {
	dim := func(d [3]int) workload.Dim3 { return workload.Dim3{X: d[0], Y: d[1], Z: d[2]} }
	shape := &workload.Kernel{Name: k.Name, Grid: dim(k.Grid), Block: dim(k.Block), SharedBytesPerTB: k.SharedBytesPerTB}
	shape.RegistersPerTB = k.RegistersPerThread * shape.ThreadsPerTB()
	return shape
}

// App is an application and its kernels, in the order of their first launches.
type App struct {
	Name    string   `json:"app"`
	Kernels []Kernel `json:"kernels"`
	Counts
}

// Measure runs a built-in application alone on a GPU until each of its kernels
// has run and at least a number of core cycles have passed, or to its end. It
// stops between two launches.
func Measure(ctx context.Context, gpu *wiring.Config, name, size string, least uint64) (*App, error) {
	m, err := kernels.Builtin(name)
	if err != nil {
		return nil, err
	}
	app, err := source.Open(name+"?size="+size, source.Options{})
	if err != nil {
		return nil, err
	}
	p, err := policy.Parse("fcfs")
	if err != nil {
		return nil, err
	}
	w := &watch{app: &App{Name: name}, manifest: m, least: least}
	watched := *app
	watched.Host = func() (workload.Host, error) {
		var err error
		w.Host, err = app.Start()
		return w, err
	}
	if w.gpu, err = wiring.New(*gpu, p, []host.Process{{App: &watched}}); err != nil {
		return nil, err
	}
	if err := w.gpu.Run(ctx, 0, nil); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w.app, nil
}

// watch is a host program that notes the GPU's counters between launches. A
// launch begins when the one before has ended, so all that happens between two
// operations is the first one's doing.
type watch struct {
	workload.Host
	gpu      *wiring.Platform
	manifest *kernels.Manifest
	least    uint64
	app      *App
	running  int    // the kernel that runs, among app.Kernels
	before   Counts // when it began
	begun    bool
}

// Next makes watch a workload.Host.
func (w *watch) Next() (workload.Op, bool, error) {
	if w.begun {
		now := CountsOf(w.gpu, w.gpu.Cycles(0)-1)
		w.app.Kernels[w.running].add(&w.before, &now)
		w.app.add(&w.before, &now)
		w.before, w.begun = now, false
		if len(w.app.Kernels) == len(w.manifest.Kernels) && now.Cycles >= w.least {
			return workload.Op{}, false, nil
		}
	}
	op, ok, err := w.Host.Next()
	if err != nil || !ok || op.Kernel == nil {
		return op, ok, err
	}
	w.begun = true
	w.running = w.kernel(op.Kernel)
	w.app.Kernels[w.running].Launches++
	return op, true, nil
}

// kernel finds the entry of a kernel, or makes it.
func (w *watch) kernel(k *workload.Kernel) int {
	list := &w.app.Kernels
	if at := slices.IndexFunc(*list, func(e Kernel) bool { return e.Name == k.Name }); at >= 0 {
		return at
	}
	*list = append(*list, Kernel{App: w.app.Name, Name: k.Name, Grid: [3]int{k.Grid.X, k.Grid.Y, k.Grid.Z},
		Block: [3]int{k.Block.X, k.Block.Y, k.Block.Z}, RegistersPerThread: k.RegistersPerTB / k.ThreadsPerTB(),
		SharedBytesPerTB: k.SharedBytesPerTB, Demands: demands(w.manifest, k.Name)})
	return len(*list) - 1
}

// demands says which GPU's demands a kernel has by default.
func demands(m *kernels.Manifest, kernel string) string {
	for _, k := range m.Kernels {
		if k.Name == kernel && len(k.Demands) > 0 && k.Demands[0].RegistersPerThread > 0 {
			return k.Demands[0].Arch
		}
	}
	return "PTX"
}
