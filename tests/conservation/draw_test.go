package conservation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

// policyOptions are lists of options by policy; a run may draw a list. Epochs are short, so
// that a run has many.
var policyOptions = map[string][]string{
	"ccbp": {"epoch=1k", "epoch=1k,preempt=switch,ls_unlimited=off", "epoch=1k,climb=on", "epoch=1k,variant=drf,sustain=0.7", "epoch=1k,variant=offline"},
	"dss":  {"preempt=drain", "preempt=ideal", "preempt=flush", "tokens=1/5/2"},
	"fixed": {"tbs=3/1/2/4", "tbs=2/2/1/9,preempt=ideal", "sms=1/1/1/1", "rates=15.5/-/1/200,first=1/0/0/1", "tbs=1/1/3,sms=1/2/1,preempt=none",
		"sms=4+4/4+4/2+0/0+2"},
	"heterocore":          {"epoch=1k,warmup=1k,measure=1k", "epoch=1k,warmup=1k,measure=1k,profile=launch,preempt=drain", "epoch=1k,warmup=1k,measure=1k,preempt=switch"},
	"heterocore-agnostic": {"epoch=1k,preempt=switch", "epoch=1k,preempt=drain", "preempt=ideal"},
	"heterocore-static":   {"epoch=1k,goal=stp,ipcs=400+210+330+150/200+120+118+121/300+160+190+80/100+60+40+80"},
	"ppq":                 {"mode=shared", "preempt=drain", "mode=shared,preempt=ideal"},
	"qos":                 {"epoch=1k", "epoch=1k,scheme=naive,charge=issue", "epoch=1k,scheme=elastic,history=off", "epoch=1k,scheme=rollover-time,preempt=ideal", "epoch=1k,adjust=off"},
	"smk":                 {"preempt=ideal"},
	"smk-p":               {"epoch=1k", "epoch=1k,preempt=ideal"},
	"smk-pw":              {"epoch=1k", "epoch=1k,quota=scheduler", "epoch=1k,wipc=isolated"},
	"smk-pw2":             {"epoch=1k", "epoch=1k,quota=scheduler,preempt=ideal"},
	"spart":               {"epoch=1k", "preempt=drain", "preempt=ideal,epoch=1k", "preempt=none"},
	"spart-qos":           {"window=2k,epoch=1k", "window=4k,epoch=2k,preempt=drain", "window=2k,epoch=1k,preempt=ideal"},
	"timeslice":           {"slice=2k", "slice=3k", "slice=2k,preempt=drain", "slice=1k,preempt=ideal"},
	"ws":                  {"epoch=1k,warmup=1k,sample=500", "epoch=1k,warmup=500,sample=200,loss=20", "epoch=1k,warmup=500,sample=500,preempt=none"},
}

// gpuOptions are options of any GPU.
var gpuOptions = []string{
	"sm.scheduler=lrr", "sm.scheduler=2lvl-4", "sm.scheduler=kernel-lrr", "sm.scheduler=gto", "sm.group_slots=8", "sm.issue_width=1",
	"sm.issue_same_unit=true", "sm.memory_issue=mil", "sm.memory_issue=bmi", "sm.tbs=3", "sm.pipes.alu.interval=2", "sm.pipes.sfu.per_sm=true",
	"sm.pipes.memory_issue_per_sm=true",
	"sm.front_end.refill=empty&sm.front_end.icache.sets=4&sm.front_end.icache.misses=memory", "sm.front_end.per_sm=true", "sm.front_end.buffer_depth=1",
	"sm.issue_queue.entries=24", "sm.issue_queue.entries=96&sm.issue_queue.order=in-order", "sm.issue_queue.entries=48&sm.issue_queue.order=in-order-commit",
	"sm.lsu.skip=true", "sm.lsu.queue_depth=1", "sm.lsu.constant_cache.sets=4", "sm.lsu.texture_cache.sets=32", "sm.lsu.texture_cache.sets=32&sm.lsu.read_only_loads=true",
	"sm.l1.victim=ucp&sm.l1.ucp_period=2000", "sm.l1.mshrs=2", "sm.l1.globals=bypass", "sm.l1.write_evict=true", "sm.l1.sectored=false",
	"sm.l1.store_buffer=1", "sm.l1.returns_per_cycle=1", "sm.l1.banks=4", "sm.irc.sub_queues=8", "sm.irc.sub_queues=8&sm.irc.depth=8",
	"preeng.bandwidth_mb_per_s=4000", "preeng.outstanding=4", "host.hardware_queues=1",
	"host.ideal=false&host.pcie.engines=3&host.pcie.duplex=true&host.copy_latency=300",
	"request_noc.output_buffer=1", "reply_noc.flit_bytes=16", "reply_noc.input_buffer=1",
	"address.tenant_hash=true", "address.linear=true", "address.slices=4&address.channels=2",
	"driver.tb_interval=2&driver.tb_latency=700", "topology=halves", "topology=halves&far_noc.latency=40&far_noc.output_buffer=1", "l2.fetch_on_write=true", "l2.mshrs=2", "l2.sets=2", "l2.sectored=false", "l2.mshr_merge=1",
	"dram.scheduler=fcfs", "dram.scheduler=tcm&dram.tcm.quantum=2000", "dram.unified_queue=true", "dram.max_hit_streak=4", "dram.entry_per_burst=true",
	"dram.read_queue=2", "dram.timing.t_refi=800", "dram.timing.t_refi=3000&dram.timing.t_rfc_bank=200", "clocks.dram_mhz=900", "clocks.noc_mhz=700", "clocks.l2_mhz=600",
}

// tiers makes the crossbars of a GPU hierarchical, with links that are often the limit.
const tiers = "sms=5&gpcs=[4,1]&driver.tpc_sms=2&request_noc.tpc_bytes=24&request_noc.gpc_bytes=70&reply_noc.gpc_bytes=40&reply_noc.gpc_ports=2&reply_noc.tpc_bytes=33"

// faultOptions are options of GPUs that translate addresses.
var faultOptions = []string{
	"sm.faults.scheme=wd-commit", "sm.faults.scheme=wd-lastcheck", "sm.faults.scheme=replay-queue", "sm.faults.scheme=operand-log&sm.faults.log_bytes=16384",
	"sm.faults.scheme=replay-queue&driver.block_switching.extra=4", "sm.faults.scheme=operand-log&sm.faults.log_bytes=8192&driver.block_switching.extra=2",
	"sm.faults.scheme=wd-commit&driver.block_switching.extra=2&driver.block_switching.ideal=true",
	"sm.faults.scheme=operand-log&sm.faults.log_bytes=16384&mmu.fill.local=true&sm.faults.handler_cycles=700",
	"sm.faults.scheme=replay-queue&mmu.fill.local=true&sm.faults.handler_cycles=700&driver.block_switching.extra=4",
	"sm.faults.scheme=stall&sm.issue_queue.order=in-order-commit", "sm.faults.scheme=stall&sm.issue_queue.order=in-order-both",
	"pager.occupancy=2000", "pager.occupancy=0", "pager.migrate_ns=500&pager.allocate_ns=300", "mmu.fill.region_bytes=4096", "mmu.fill.walkers=1",
	"mmu.l2_tlb.entries=64", "mmu.l2_tlb.mshrs=2", "mmu.l2_tlb.lookups_per_cycle=1", "sm.tlb.entries=8", "sm.tlb.mshrs=1",
}

// apps are quick to emulate and to run; ends among them are quick to end.
var (
	ends = []string{"sgemm?size=tiny", "spmv?size=tiny", "lbm?size=tiny", "mri-q?size=tiny", "sad?size=tiny", "stencil?size=tiny", "bfs?size=tiny",
		"add-strings?size=tiny", "histogram64?size=tiny", "pathfinder?size=tiny", "nn?size=tiny", "kmeans?size=tiny", "syrk?size=tiny", "btree?size=tiny"}
	apps = append([]string{"cutcp?size=tiny", "tpacf?size=tiny", "histo?size=tiny", "mri-gridding?size=tiny", "sgemm?size=small", "hybridsort?size=tiny",
		"profile:sgemm", "profile:lbm", "profile:stencil", "profile:histo", "profile:tpacf", "profile:spmv", "profile:cutcp", "profile:mri-q", "profile:sad"}, ends...)
)

// pageModes are the modes of a GPU that translates addresses, demand paging the most
// frequent.
var pageModes = []string{"", "demand", "demand", "demand", "lazy-output", "lazy-heap"}

// one draws from a list.
func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// chance reports true in a percentage of draws.
func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// add adds an option to a GPU's, unless an option sets the same fields already.
func add(options []string, more string) []string {
	for _, set := range strings.Split(strings.Join(options, "&"), "&") {
		key, _, _ := strings.Cut(set, "=")
		if key != "" && strings.Contains("&"+more, "&"+key+"=") {
			return options
		}
	}
	return append(options, more)
}

// draw draws a run, which may be invalid.
func draw(r *rand.Rand) *mix {
	m := &mix{seed: r.Uint64N(1000)}
	preset := one(r, presets.Names())
	if chance(r, 35) {
		preset = one(r, []string{"pagefault16", "pagefault16", "pagefault16-pcie", "ccbp16-irc"})
	}
	m.policy = one(r, policy.All()).Name
	if list := policyOptions[m.policy]; len(list) > 0 && chance(r, 75) {
		m.policy += ":" + one(r, list)
	}
	var options []string
	few := !strings.HasPrefix(preset, "heterocore-") // of which SMs are a list
	if few && chance(r, 85) {
		options = add(options, one(r, []string{"sms=1", "sms=2", "sms=2", "sms=3", "sms=4", "sms=6", tiers}))
	}
	for range r.IntN(4) {
		options = add(options, one(r, gpuOptions))
	}
	translates := strings.HasPrefix(preset, "pagefault16")
	if !translates && chance(r, 5) {
		options = add(options, "mmu.l2_tlb.entries=256&sm.tlb.entries=16")
		translates = true
	}
	if translates {
		m.pages = one(r, pageModes)
		if chance(r, 50) { // faults are served soon, thread blocks leave often
			options = add(options, "pager.migrate_ns=500&pager.allocate_ns=300")
			m.policy = one(r, []string{"timeslice:slice=2k", "timeslice:slice=3k", "spart:epoch=1k", "smk", "smk-p:epoch=1k", "dss", "ppq:mode=shared", m.policy})
		}
		for range r.IntN(3) {
			options = add(options, one(r, faultOptions))
		}
	}
	m.gpu = preset
	if len(options) > 0 {
		m.gpu += "?" + strings.Join(options, "&")
	}
	from := apps
	switch n := r.IntN(10); {
	case n < 7:
		m.cycles = 1000 + r.Uint64N(9000)
		if m.pages != "" {
			m.cycles *= 5 // most of which faults take
		}
	case n < 9:
		from, m.maxCycles = ends, 250_000
	default:
		from, m.maxCycles, m.replays = ends, 250_000, 2
	}
	for i := range one(r, []int{1, 2, 2, 3, 3, 4}) {
		m.apps = append(m.apps, one(r, from)+attributes(r, i, m.cycles))
		if strings.Count(m.apps[i], "?") == 0 {
			m.apps[i] = strings.Replace(m.apps[i], "&", "?", 1)
		}
	}
	return m
}

// attributes draws what the user says of a tenant.
func attributes(r *rand.Rand, tenant int, cycles uint64) (text string) {
	if tenant > 0 && chance(r, 50) {
		text += "&arrival=" + one(r, []string{"300", "1k", "2us", "900"})
	}
	if chance(r, 40) {
		text += "&priority=" + one(r, []string{"1", "2", "-1"})
	}
	if chance(r, 30) {
		text += "&" + one(r, []string{"qos=0.8", "qos=0.1", "qos=0.01", "qos_time=1ms"})
	}
	return text
}

// Every option of those lists is valid by itself on some GPU, so that none is always
// refused.
func TestWhatIsDrawnFromIsKnown(t *testing.T) {
	for name := range policyOptions {
		for _, options := range policyOptions[name] {
			_, err := policy.Parse(name + ":" + options)
			require.NoError(t, err)
		}
	}
	for _, options := range slices.Concat(gpuOptions, faultOptions) {
		valid := slices.ContainsFunc(slices.Concat([]string{"gtx980", "pagefault16"}, presets.Names()), func(name string) bool {
			c, err := presets.Load(name + "?" + options)
			return err == nil && c.Validate() == nil
		})
		require.True(t, valid, "no preset takes %s", options)
	}
}
