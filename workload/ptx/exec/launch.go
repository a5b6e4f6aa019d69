package exec

import (
	"fmt"

	"cotenant/workload"
	"cotenant/workload/ptx/tensor"
)

// LaunchConfig is one launch of a kernel.
type LaunchConfig struct {
	Grid, Block   workload.Dim3
	DynamicShared int    // bytes
	Params        []byte // the parameter block, Program.ParamBytes long
	Mem           *Memory
	// Textures are bound to the texture references, by name; Mem knows the
	// handles. A texture object's handle is its index in TextureObjects plus 1; there is no
	// object where an entry is zero.
	Textures       map[string]Texture
	TextureObjects []Texture
	// TextureLayout says where texels lie for caches: the addresses of fetches follow from it,
	// not their results.
	TextureLayout workload.TextureLayout
	// Numerics says how products of matrices round (mma, wmma); Ampere by default.
	Numerics tensor.Numerics
	// CheckAsync makes it an error to read what an asynchronous copy has written before the
	// thread that copies has waited for it, or to use a result of wgmma before its warp has.
	CheckAsync bool
	// Order looks at what the launch does, if it is set.
	Order *OrderWatch
	// Check looks for faults in what the launch does, if it is set.
	Check *Checker
	// Print is given what the threads of a thread block print, if it is set.
	Print func(tb int, text string)
	// Cluster is the size of the clusters in thread blocks, of which the grid is a multiple along each
	// dimension; zero: what the kernel says (.reqnctapercluster), or one thread block.
	Cluster workload.Dim3
	// ClusterLag is the time in cycles from an instruction that tells another thread block of the cluster
	// something to the first at which that can be seen there: arrivals at mbarriers, and the end of a phase of the
	// cluster's barrier. It applies to thread blocks with a clock, and is then 1 at least.
	ClusterLag uint64

	bound *launch
}

// maxThreadsPerTB is the largest thread block that can be launched (CUDA C++
// Programming Guide, technical specifications of compute capability 2.0 on).
const maxThreadsPerTB = 1024

// maxLaunchLocal bounds the local memory that the threads of a launch's thread blocks
// reach, in bytes: that of a GPU's threads is in its DRAM.
const maxLaunchLocal = 4 << 30

// launch is a configuration made ready for a program.
type launch struct {
	program     *Program
	grid, block workload.Dim3
	sharedBytes int
	dynamic     int
	params      []byte
	memory      *Memory
	consts      []slot
	textures    []boundTexture // of the program's references
	objects     []boundTexture
	references  []boundTexture // of the memory, by handle; zero for one without a texture
	order       *OrderWatch
	check       *Checker
	plan        *orderPlan // of the program, if order or check is set
	checkAsync  bool
	watches     bool // order, check or checkAsync is set
	printed     func(tb int, text string)
	// local is what the thread blocks' threads have reached of their local memory, in
	// bytes, maxLocal how much it may be.
	local, maxLocal uint64
	cluster         workload.Dim3
	explicit        bool // the kernel or the launch gives the size of the clusters
	lag             uint64
	numerics        tensor.Numerics
	// readsWhatStays says that nothing writes the global memory that is read.
	readsWhatStays bool
}

// Bind checks a configuration and prepares it for the program. NewTB does it
// for a configuration that has not been bound.
func (p *Program) Bind(cfg *LaunchConfig) error {
	l := &launch{program: p, grid: cfg.Grid, block: cfg.Block, params: cfg.Params, memory: cfg.Mem,
		dynamic: cfg.DynamicShared, sharedBytes: p.dynamic + cfg.DynamicShared, maxLocal: maxLaunchLocal, numerics: cfg.Numerics}
	fail := func(format string, args ...any) error {
		return workload.Errorf(p.kernel.File, p.kernel.Line, "kernel %s cannot be launched: %s", p.kernel.Name, fmt.Sprintf(format, args...))
	}
	if n := cfg.Block.Count(); min(cfg.Block.X, cfg.Block.Y, cfg.Block.Z) < 1 || n > maxThreadsPerTB {
		return fail("block is %v; valid are 1 to %d threads", cfg.Block, maxThreadsPerTB)
	}
	if min(cfg.Grid.X, cfg.Grid.Y, cfg.Grid.Z) < 1 {
		return fail("grid is %v; valid are sizes from 1", cfg.Grid)
	}
	var problem string
	if l.cluster, l.explicit, problem = p.cluster(cfg); problem != "" {
		return fail("%s", problem)
	}
	l.lag = max(cfg.ClusterLag, 1)
	if len(cfg.Params) != p.paramBytes {
		return fail("the parameter block has %d bytes; valid is %d", len(cfg.Params), p.paramBytes)
	}
	if cfg.DynamicShared < 0 {
		return fail("dynamic shared memory of %d bytes; valid is 0 or more", cfg.DynamicShared)
	}
	for _, k := range p.consts {
		bits := k.bits
		if k.v != nil {
			addr, ok := cfg.Mem.vars[k.v]
			if !ok {
				return fail("variable %s is not in memory; valid after Memory.Load", k.v.Name)
			}
			bits += addr
		}
		l.consts = append(l.consts, broadcast(bits))
	}
	for _, v := range p.textures {
		t, ok := cfg.Textures[v.Name]
		if !ok {
			return fail("texture reference %s has no texture", v.Name)
		}
		b, err := t.bind(cfg)
		if err != nil {
			return fail("texture reference %s: %v", v.Name, err)
		}
		l.textures = append(l.textures, b)
	}
	for i, t := range cfg.TextureObjects {
		if t == (Texture{}) {
			l.objects = append(l.objects, boundTexture{})
			continue
		}
		b, err := t.bind(cfg)
		if err != nil {
			return fail("texture object %d: %v", i, err)
		}
		l.objects = append(l.objects, b)
	}
	for _, v := range cfg.Mem.references {
		var b boundTexture
		if t, ok := cfg.Textures[v.Name]; ok && p.byHandle {
			var err error
			if b, err = t.bind(cfg); err != nil {
				return fail("texture reference %s: %v", v.Name, err)
			}
		}
		l.references = append(l.references, b)
	}
	l.readsWhatStays = p.Idempotent(cfg)
	if cfg.Order != nil {
		l.order = cfg.Order
		l.plan = l.order.begin(p)
	}
	if cfg.Check != nil {
		l.check = cfg.Check
		l.plan = l.check.begin(p)
	}
	l.checkAsync = cfg.CheckAsync
	l.watches = l.checkAsync || l.plan != nil
	l.printed = cfg.Print
	cfg.bound = l
	return nil
}

func broadcast(v uint64) (s slot) {
	for i := range s {
		s[i] = v
	}
	return s
}

// TB is one thread block on its way through a kernel.
type TB struct {
	ID    int
	Warps []*Warp

	// Where the thread block runs: see Place.
	sm, sms    int
	clock      workload.Clock
	launch     *launch
	position   workload.Dim3 // in the grid
	shared     []byte
	sines      sines  // last computed
	shadow     shadow // of shared memory, if the launch is watched
	reductions [barriers][]*reduction
	own        cluster       // of a thread block on its own
	cluster    *cluster      // see Join
	rank       int           // in the cluster
	arrived    uint64        // warps at the cluster's barrier, in its present phase
	late       []signal      // of other thread blocks, that cannot be seen yet
	async      *asyncMarks   // nil unless copies are checked
	tiles      *tensor.Tiles // for products of matrices, made when first needed
	// turn counts the barriers that the first warp has come to, and noisy says
	// for that turn and the one before, by their lowest bit, that shared memory
	// may be written in it.
	turn  uint32
	noisy [2]bool
}

// NewTB returns the thread block with a number, x fastest, before its first
// instruction. If the configuration is not valid for the program, the first
// Step of any warp says so.
func (p *Program) NewTB(cfg *LaunchConfig, id int) *TB {
	if cfg.bound == nil || cfg.bound.program != p {
		if err := p.Bind(cfg); err != nil {
			return &TB{ID: id, Warps: []*Warp{{mask: allLanes, alive: allLanes, ops: p.ops, program: p, fault: err}}}
		}
	}
	l := cfg.bound
	tb := &TB{launch: l, sms: 1, shared: make([]byte, l.sharedBytes)}
	tb.own.blocks = []*TB{tb}
	threads := l.block.Count()
	for first := 0; first < threads; first += lanes {
		tb.Warps = append(tb.Warps, &Warp{
			program: p, launch: l, tb: tb, index: len(tb.Warps),
			ops: p.ops, consts: l.consts, params: l.params, memory: l.memory,
			regs: make([]slot, p.regs), preds: make([]uint32, p.preds),
			local: make([]byte, lanes*p.firstLocal), localBytes: p.firstLocal, kept: [2]uint64{uint64(p.localBytes), 0},
		})
	}
	tb.Reset(id)
	return tb
}

// Place says what %smid, %nsmid and, by a clock, %clock and %globaltimer read
// from now on. Without it the thread block is on SM 0 of one, and both clocks of
// a warp are the number of instructions that it has executed.
func (tb *TB) Place(sm, sms int, clock workload.Clock) {
	moved := tb.sm != sm || tb.sms != sms
	tb.sm, tb.sms, tb.clock = sm, sms, clock
	if tb.launch == nil || !moved || !tb.launch.program.usesPlace() {
		return
	}
	for _, w := range tb.Warps {
		w.readSpecials()
	}
}

// Reset turns the thread block, which may be anywhere in its program, into another
// thread block of the launch before its first instruction. It reuses the memory.
func (tb *TB) Reset(id int) {
	l := tb.launch
	if l == nil {
		return // it carries the error of NewTB
	}
	tb.ID = id
	tb.position = placeIn(l.grid, id)
	clear(tb.shared)
	for _, turns := range tb.reductions {
		for _, r := range turns {
			*r = reduction{}
		}
	}
	tb.leave()
	tb.startAsync()
	tb.startQuiet()
	threads := l.block.Count()
	for i, w := range tb.Warps {
		w.reset(min(threads-i*lanes, lanes))
	}
}
