package reproduce

import (
	"math"
	"strings"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/platform/build"
)

// pagefault16 is the machine of the thesis' chapter on page faults, behind NVLink.
const pagefault16 = "pagefault16"

// faultKernel is an application of that chapter and its main kernel, of which the launch
// with most thread blocks is measured.
type faultKernel struct {
	app, kernel string
	quick, full string // size, and what is set besides
	arch        string // whose demands it has; "": those that there are
	// window is how long it runs at the quick scale, in core cycles; 0: to its end.
	window uint64
	// faulting is the input at the quick scale where pages are not resident; "": quick.
	faulting string
}

// parboil are the eleven kernels of Parboil (thesis, Table 4.1). Each of the main launches
// but that of bfs has thread blocks for three rounds on the 16 SMs, at both scales.
var parboil = []faultKernel{
	{"bfs", "BFS_kernel", "small", "medium", "", 0, ""},
	{"cutcp", "lattice6overlap", "small&set=regions:19,cutoff:1.5", "small&set=regions:19", "k20c", 60_000, "small&set=regions:8,cutoff:1.0"},
	{"histo", "main", "small&set=images:1", "medium&set=images:1", "k20c", 0, ""},
	{"lbm", "StreamCollide", "small&set=y:16,z:12,steps:1", "medium&set=steps:1", pagefault16, 0, ""},
	{"mri-gridding", "griddingGPU", "tiny&set=size:64,cutoff:1.3,count:16384", "small", "k20c", 0, ""},
	{"mri-q", "ComputeQ", "small&set=voxels:98304,count:32", "medium", "k20c", 0, ""},
	{"sad", "mbsadcalc", "small&set=width:160,height:80", "small", "k20c", 0, ""},
	{"sgemm", "mysgemmNT", "small&set=m:1024,n:1344,k:32", "medium&set=n:1344", "k20c", 0, "small&set=m:1024,n:1344,k:128"},
	{"spmv", "spmvjds", "small&set=size:24576,products:1", "medium&set=products:1", "k20c", 0, ""},
	{"stencil", "block2Dregtiling", "small&set=nz:12,steps:1", "medium&set=steps:1", "k20c", 0, ""},
	{"tpacf", "genhists", "small&set=sets:48,points:128", "small", "k20c", 0, ""},
}

// allocating are Halloc's kernels (thesis, Table 4.2), by a heap of our own.
var allocating = []faultKernel{
	{"add-strings", "add_strs", "small", "medium", "", 0, ""},
	{"random-graph", "build", "small", "medium", "", 0, ""},
	{"grid-points", "sort_points", "small", "medium", "", 0, ""},
}

const faultNotes = "Parboil's main kernels, one each: the launch with most thread blocks, at least three rounds of them on 16 SMs, but of bfs, whose road map has levels too narrow for that. Each has the K20c's demands (Table 5.2), and lbm those that leave 8 warps an SM, as the thesis has (6.5.2). --quick has smaller inputs, and of cutcp 60,000 cycles. Performance is 1/cycles, over the baseline that stalls on a fault. Copies take no time. Registers are packed (lower=-registers): handed out in turn, as they are otherwise, they would be overwritten too late for the replay queue to cost anything."

// spec is the kernel's application, whose pages are as they are. Its registers are
// packed, as a compiler does: what the replay queue costs is waiting for instructions that
// have not read what is overwritten (6.3.2).
func (k *faultKernel) spec(s Scale, pages build.PageMode) string {
	input := k.full
	if s.Quick {
		if input = k.quick; pages != "" && k.faulting != "" {
			input = k.faulting
		}
	}
	if s.Size == "tiny" { // of tests
		input = s.Size
	}
	if k.arch != "" {
		input += "&arch=" + k.arch
	}
	return k.app + "?size=" + input + "&lower=-registers"
}

// run is a run of the kernel on the scale's GPU with an option, "" for none. It ends with
// the application where pages are not resident.
func (k *faultKernel) run(s Scale, option string, pages build.PageMode) sweep.Run {
	r := sweep.Run{GPU: with(s.GPU, "host.ideal=true"), Policy: fcfs.spec, Apps: []string{k.spec(s, pages)}, Window: sweep.Window{Until: "done"}, Seed: 1, Pages: pages}
	if option != "" {
		r.GPU = with(r.GPU, option)
	}
	if s.Quick && k.window > 0 && pages == "" {
		r.Window = sweep.Window{Cycles: k.window}
	}
	return r
}

// mainIPC is the IPC of the kernel's launch with most thread blocks, the first of several:
// its performance, as it always issues the same. NaN if there is none.
func (k *faultKernel) mainIPC(r *experiment.Result) float64 {
	ipc, tbs := math.NaN(), 0
	for _, tenant := range r.Kernels {
		for _, l := range tenant.Launches {
			if l.Kernel == k.kernel && l.TBs > tbs {
				ipc, tbs = l.IPC, l.TBs
			}
		}
	}
	return ipc
}

// launched is the time of all launches, in cycles: the first that accesses a page waits for
// it. NaN if one has not ended.
func launched(r *experiment.Result) float64 {
	cycles := math.NaN()
	for _, tenant := range r.Kernels {
		for i, l := range tenant.Launches {
			if i == 0 {
				cycles = 0
			}
			if l.EndCycle == 0 {
				return math.NaN()
			}
			cycles += float64(l.EndCycle - l.StartCycle)
		}
	}
	return cycles
}

// scheme is a way to build the SM, by the options that make the machine so.
type scheme struct{ name, option string }

var (
	wdCommit    = scheme{"WD-commit", "sm.faults.scheme=wd-commit"}
	wdLastcheck = scheme{"WD-lastcheck", "sm.faults.scheme=wd-lastcheck"}
	replayQueue = scheme{"replay queue", "sm.faults.scheme=replay-queue"}
	log8        = scheme{"operand log, 8 KB", "sm.faults.scheme=operand-log&sm.faults.log_bytes=8192"}
	log16       = scheme{"operand log, 16 KB", "sm.faults.scheme=operand-log&sm.faults.log_bytes=16384"}
	log32       = scheme{"operand log, 32 KB", "sm.faults.scheme=operand-log&sm.faults.log_bytes=32768"}
	// Those of Figure 6.1.
	inOrder       = scheme{"in-order issue", "sm.issue_queue.order=in-order"}
	inOrderCommit = scheme{"in-order commit", "sm.issue_queue.order=in-order-commit"}
	inOrderBoth   = scheme{"in-order issue and commit", "sm.issue_queue.order=in-order-both"}
)

// schemeRuns are the runs of Parboil's kernels without faults, under the baseline and
// schemes.
func schemeRuns(s Scale, schemes ...scheme) (runs []sweep.Run) {
	for _, x := range append([]scheme{{}}, schemes...) {
		for i := range parboil {
			runs = append(runs, parboil[i].run(s, x.option, ""))
		}
	}
	return runs
}

// schemeRows are the performance of each kernel under schemes over the baseline, and the
// geometric means.
func (d *Data) schemeRows(schemes ...scheme) (rows []Row) {
	for _, x := range schemes {
		var list []float64
		for i := range parboil {
			k := &parboil[i]
			over := k.mainIPC(d.resultOf(k.run(d.Scale, x.option, ""))) / k.mainIPC(d.resultOf(k.run(d.Scale, "", "")))
			list = append(list, over)
			rows = append(rows, figureRow(k.app+", "+x.name, "", over))
		}
		rows = append(rows, figureRow("geometric mean, "+x.name, "", geometricMean(list)))
	}
	return rows
}

// link is a way to the CPU, by the options that make the machine so; "" for the machine's
// own.
type link struct{ name, option string }

// links are NVLink, which pagefault16 has, and PCIe 3.0 (6.5.3), as pagefault16-pcie.
var links = []link{{"NVLink", ""}, {"PCIe", "pager.link=pcie&pager.migrate_ns=25000&pager.allocate_ns=12000"}}

// joined are several options as one.
func joined(options ...string) string {
	var given []string
	for _, o := range options {
		if o != "" {
			given = append(given, o)
		}
	}
	return strings.Join(given, "&")
}
