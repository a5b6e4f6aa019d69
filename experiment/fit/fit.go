package fit

import (
	"fmt"
	"math"
	"slices"

	"cotenant/workload"
)

// Metrics of Nsight Compute that a profile is made of.
const (
	gridSize         = "launch__grid_size"
	blockSize        = "launch__block_size"
	registers        = "launch__registers_per_thread"
	staticShared     = "launch__shared_mem_per_block_static"
	dynamicShared    = "launch__shared_mem_per_block_dynamic"
	instructions     = "smsp__inst_executed.sum"
	threads          = "smsp__thread_inst_executed.sum"
	fp32             = "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"
	fp64             = "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"
	special          = "smsp__inst_executed_pipe_xu.sum"
	tensor           = "smsp__inst_executed_pipe_tensor.sum"
	branches         = "smsp__inst_executed_op_branch.sum"
	globalLoads      = "smsp__inst_executed_op_global_ld.sum"
	globalStores     = "smsp__inst_executed_op_global_st.sum"
	globalAtomics    = "smsp__inst_executed_op_global_atom.sum"
	globalReductions = "smsp__inst_executed_op_global_red.sum"
	sharedLoads      = "smsp__inst_executed_op_shared_ld.sum"
	sharedStores     = "smsp__inst_executed_op_shared_st.sum"
	sharedAtomics    = "smsp__inst_executed_op_shared_atom.sum"
	loadConflicts    = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
	storeConflicts   = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
	loadSectors      = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
	loadHits         = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
	storeSectors     = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
	l2Hits, l2Misses = "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum"
)

// required metrics are of every launch, optional ones give 0 or a default without them.
var (
	required = []string{registers, instructions, threads, globalLoads, globalStores}
	optional = []string{staticShared, dynamicShared, fp32, fp64, special, tensor, branches, globalAtomics, globalReductions, sharedLoads,
		sharedStores, sharedAtomics, loadConflicts, storeConflicts, loadSectors, loadHits, storeSectors, l2Hits, l2Misses}
)

// Metrics lists the metrics of a report that a profile is made of, for ncu --metrics.
func Metrics() []string {
	return slices.Concat([]string{gridSize, blockSize}, required, optional)
}

// Unfitted is what no counter of the report tells, with what a profile has in its place.
var Unfitted = []string{
	"how soon results are used: distance and load_distance have their defaults, 4 and 8, and IPC follows from them",
	"barriers, and loads from constant memory: the latter count as int",
	"phases: a kernel has one, with the mean mix",
	"which lines the sectors of a request lie in: a request of more than four sectors touches whole lines next to one another",
	"which accesses repeat which: hits of the L1 repeat one of the warp's last four accesses, hits of the L2 go to a set of up to 512 KiB that all thread blocks share, and stores write each line once",
	"the times between launches, copies and CPU phases",
}

// kernel is a fitted kernel of a profile.
type kernel struct {
	name                       string
	tbs, launches, block       int
	registers, shared, length  int
	loop                       bool
	mix                        []part
	splitProbability, splitTo  float64
	conflict                   float64
	loadLines, storeLines      float64
	warpReuse, gridReuse       float64
	loadFootprint, storeOutput uint64
	gridSet                    uint64
	missing                    []string
}

// part is an entry of the mix.
type part struct {
	name  string
	share float64
}

// Fit makes a profile of launches, as YAML. Launches of one kernel and shape become one
// kernel of the profile, with the means of their counters. notes say what could not be
// fitted. Errors are *workload.InputError of the file.
func Fit(file, name string, launches []Launch) (profile string, notes []string, err error) {
	type shape struct {
		kernel                          string
		grid, block, registers, dynamic float64
	}
	groups, order := map[shape][]Launch{}, []shape{}
	apart, last := false, shape{}
	for i, l := range launches {
		s := shape{l.Kernel, l.first(gridSize, "Grid Size"), l.first(blockSize, "Block Size"), l.Metrics[registers], l.Metrics[dynamicShared]}
		if groups[s] == nil {
			order = append(order, s)
		} else if s != last {
			apart = true
		}
		for _, m := range required {
			if _, ok := l.Metrics[m]; !ok {
				return "", nil, workload.Errorf(file, 0, "launch %d, %s: there is no metric %s; valid: a report with the metrics that cotenant fit --metrics lists", i+1, l.Kernel, m)
			}
		}
		if !(s.grid >= 1 && s.block >= 1 && s.block <= 1024) || l.Metrics[instructions] <= 0 {
			return "", nil, workload.Errorf(file, 0, "launch %d, %s: %g thread blocks of %g threads with %g instructions; valid: at least one, and 1 to 1024 threads", i+1, l.Kernel, s.grid, s.block, l.Metrics[instructions])
		}
		groups[s] = append(groups[s], l)
		last = s
	}
	var kernels []*kernel
	for _, s := range order {
		k := fit(mean(groups[s]), int(s.grid), int(s.block))
		k.name, k.launches, k.loop = s.kernel, len(groups[s]), apart
		kernels = append(kernels, k)
		for _, m := range k.missing {
			if note := "no metric " + m; !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return write(name, kernels), append(notes, Unfitted...), nil
}

// first is the first of several metrics that is above 0, else 0.
func (l *Launch) first(names ...string) float64 {
	for _, n := range names {
		if x := l.Metrics[n]; x > 0 {
			return x
		}
	}
	return 0
}

// mean is a launch with the means of metrics that all of a group have.
func mean(group []Launch) *Launch {
	m := &Launch{Kernel: group[0].Kernel, Metrics: map[string]float64{}}
	for name := range group[0].Metrics {
		sum := 0.0
		for _, l := range group {
			x, ok := l.Metrics[name]
			if !ok {
				sum = math.NaN()
			}
			sum += x
		}
		if !math.IsNaN(sum) {
			m.Metrics[name] = sum / float64(len(group))
		}
	}
	return m
}

// fit fits one kernel.
func fit(l *Launch, tbs, block int) *kernel {
	k := &kernel{tbs: tbs, block: block, conflict: 1, loadLines: 1, storeLines: 1, splitTo: 1}
	get := func(name string) float64 {
		x, ok := l.Metrics[name]
		if !ok {
			k.missing = append(k.missing, name)
		}
		return x
	}
	warps := (block + workload.WarpSize - 1) / workload.WarpSize
	all := get(instructions)
	k.registers, k.shared = int(max(1, get(registers))), int(get(staticShared)+get(dynamicShared))
	k.length = int(max(1, math.Round(all/float64(tbs*warps))))
	lanes, full := get(threads)/all, float64(block)/float64(warps)
	rest := all
	add := func(name string, n float64) {
		if n = min(n, rest); n > 0 {
			k.mix, rest = append(k.mix, part{name, n / all}), rest-n
		}
	}
	loads, stores := get(globalLoads), get(globalStores)
	shared := get(sharedLoads) + get(sharedStores)
	add("global_load", loads)
	add("global_store", stores)
	add("atomic", get(globalAtomics))
	add("reduction", get(globalReductions))
	add("shared_load", get(sharedLoads))
	add("shared_store", get(sharedStores))
	add("shared_atomic", get(sharedAtomics))
	add("tensor", get(tensor))
	add("branch", get(branches))
	add("sfu", get(special))
	add("fp32", get(fp32)/max(1, lanes))
	add("fp64", get(fp64)/max(1, lanes))
	add("int", rest)
	if lost := 1 - lanes/full; lost > 0.01 { // a split lasts from branch to branch
		k.splitProbability, k.splitTo = min(1, 2*lost), 0.5
		if 2*lost > 1 {
			k.splitTo = max(1./workload.WarpSize, 1-lost)
		}
	}
	if conflicts := get(loadConflicts) + get(storeConflicts); shared > 0 {
		k.conflict = min(32, 1+conflicts/shared)
	}
	const sectorsPerLine, lineBytes = 4, 128
	k.loadLines, k.storeLines = lines(get(loadSectors), loads), lines(get(storeSectors), stores)
	if s := l.Metrics[loadSectors]; s > 0 {
		k.warpReuse = share(get(loadHits), s)
	}
	missed := loads * k.loadLines * (1 - k.warpReuse) // lines that the L2 is asked for
	fresh := missed
	if reads := get(l2Hits) + get(l2Misses); reads > 0 && missed > 0 {
		// The set that all thread blocks share misses once for each of its lines.
		hits := share(get(l2Hits), reads)
		set := min(sharedLines, missed*hits/visits)
		fresh = max(0, missed*(1-hits)-set)
		k.gridReuse, k.gridSet = (1-k.warpReuse)*(1-fresh/missed), footprint(set*lineBytes)
	}
	k.loadFootprint = max(k.gridSet, footprint(fresh*lineBytes))
	k.storeOutput = footprint(stores * k.storeLines * lineBytes)
	return k
}

// lines is the mean number of lines of 128 bytes that an access touches.
func lines(sectors, accesses float64) float64 {
	if accesses == 0 || sectors == 0 {
		return 1
	}
	return min(32, max(1, math.Round(sectors/accesses/4*100)/100))
}

// share is a part of a whole, from 0 to 1.
func share(part, whole float64) float64 { return min(1, max(0, part/whole)) }

// sharedLines bounds the set that all thread blocks share, of 512 KiB: more than an L1 holds
// and less than an L2. Each of its lines has at least as many hits as visits.
const (
	sharedLines = 4096
	visits      = 16
)

// leastFootprint holds one access of 32 lines.
const leastFootprint = 32 * 128

// footprint rounds bytes to KiB within the limits of a profile.
func footprint(bytes float64) uint64 {
	return uint64(min(64<<30, max(leastFootprint, math.Ceil(bytes/1024)*1024)))
}

// decimal is a number for the profile.
func decimal(x float64) string { return fmt.Sprintf("%.4g", x) }
