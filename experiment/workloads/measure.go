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
	app, err := source.Open(name+"?size="+size, source.Options{Target: gpu.Streams()})
	if err != nil {
		return nil, err
	}
	w := &watch{app: &App{Name: name}, manifest: m, least: least}
	if err := Alone(ctx, gpu, app, 0, w.next); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w.app, nil
}

// Alone runs an application alone on a GPU to its end; a run that takes more than longest
// core cycles is an error, unless longest is 0. next, which gives the operations of the
// application's host program, has the counts so far: a launch begins when the one before has
// ended, so all that happens between two operations is the first one's doing.
func Alone(ctx context.Context, gpu *wiring.Config, app *workload.App, longest uint64, next func(workload.Host, Counts) (workload.Op, bool, error)) error {
	p, err := policy.Parse("fcfs")
	if err != nil {
		return err
	}
	h := &counted{next: next}
	watched := *app
	watched.Host = func() (_ workload.Host, err error) {
		h.Host, err = app.Start()
		return h, err
	}
	if h.gpu, err = wiring.New(*gpu, p, []host.Process{{App: &watched}}); err != nil {
		return err
	}
	h.gpu.GiveUp(longest)
	return h.gpu.Run(ctx, 0, nil)
}

// counted is the host program of Alone.
type counted struct {
	workload.Host
	gpu  *wiring.Platform
	next func(workload.Host, Counts) (workload.Op, bool, error)
}

// Next makes counted a workload.Host.
func (h *counted) Next() (workload.Op, bool, error) {
	return h.next(h.Host, CountsOf(h.gpu, h.gpu.Cycles(0)-1))
}

// watch adds up counts between launches.
type watch struct {
	manifest *kernels.Manifest
	least    uint64
	app      *App
	running  int    // the kernel that runs, among app.Kernels
	before   Counts // when it began
	begun    bool
}

// next ends the application once all has been seen.
func (w *watch) next(host workload.Host, now Counts) (workload.Op, bool, error) {
	if w.begun {
		w.app.Kernels[w.running].add(&w.before, &now)
		w.app.add(&w.before, &now)
		w.before, w.begun = now, false
		if len(w.app.Kernels) == len(w.manifest.Kernels) && now.Cycles >= w.least {
			return workload.Op{}, false, nil
		}
	}
	op, ok, err := host.Next()
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
