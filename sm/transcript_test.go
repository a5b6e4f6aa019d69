package sm

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/sm/frontend"
	"cotenant/sm/icache"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// scribe is a gate that holds no warp back and writes down each issue.
type scribe struct {
	line []string // of the present cycle
}

func (*scribe) Takes() []reflect.Type              { return nil }
func (*scribe) Control(protocol.Control) bool      { return false }
func (*scribe) Active() bool                       { return true }
func (*scribe) Edge() bool                         { return false }
func (*scribe) Masks(int) (all, mem warps.Mask)    { return 0, 0 }
func (*scribe) Placed(int, int, tenant.ID, uint64) {}
func (*scribe) Ended(int, int)                     {}

func (x *scribe) Issued(scheduler, slot int, insts []workload.Inst) {
	for i := range insts {
		x.line = append(x.line, fmt.Sprintf("s%d w%d %d/%s", scheduler, slot, insts[i].PC, letters[insts[i].Class]))
	}
}

// letters abbreviate the classes.
var letters = [workload.NumClasses]string{workload.Int: "int", workload.FP32: "fp", workload.FP64: "dp", workload.SFU: "sfu",
	workload.Tensor: "mma", workload.Constant: "ldc", workload.Load: "ld", workload.Store: "st", workload.Atomic: "atom",
	workload.Reduction: "red", workload.Branch: "bra", workload.Barrier: "bar", workload.Fence: "fence", workload.Nop: "nop"}

// story is what an SM runs while its issues are written down.
type story struct {
	spec   Spec
	lean   int // instructions of a warp
	faults bool
	orders []order
	local  bool // regions are left to handlers
	tells  bool
	sent   []protocol.Control
}

// order takes a thread block off the SM at a cycle and has it come back later; with
// halts the SM is halted until the thread block has left.
type order struct {
	at     uint64
	serial uint64
	after  uint64
	halts  bool
}

// medley lists instructions of all kinds, by a seed.
func medley(seed uint64, n int) (list []workload.Inst) {
	r := rand.New(rand.NewPCG(seed, 24))
	reg := func() uint8 { return uint8(r.IntN(6)) }
	for pc := range n {
		var inst workload.Inst
		switch k := r.IntN(20); {
		case k < 4:
			inst = script.Op(workload.Int, reg(), reg())
		case k < 6:
			inst = script.Op(workload.FP32, reg(), reg(), reg())
		case k < 7:
			inst = script.Op(workload.FP64, reg(), reg())
		case k < 9:
			inst = script.Op(workload.SFU, reg(), reg())
		case k < 10:
			inst = script.Op(workload.Tensor, reg(), reg())
		case k < 13:
			inst = script.Access(workload.Load, workload.Global, seed%5<<16+uint64(r.IntN(4096))&^127, 4, 4, reg(), reg())
		case k < 14:
			inst = script.Access(workload.Load, workload.Shared, 0, int32(4*r.IntN(4)), 4, reg(), reg())
		case k < 15:
			inst = script.Access(workload.Store, workload.Global, seed%3<<16+uint64(r.IntN(4096))&^127, 4, 4, workload.NoReg, reg())
		case k < 16:
			inst = script.Access(workload.Atomic, workload.Global, 1<<16+uint64(r.IntN(8))*128, 8, 4, reg(), reg())
		case k < 17:
			inst = script.Op(workload.Branch, workload.NoReg, reg())
			if r.IntN(2) == 0 {
				inst.Flags |= workload.Redirect
			}
		case k < 18:
			inst = script.Op(workload.Fence, workload.NoReg)
		default:
			inst = marked(workload.Multiply, script.Op(workload.Int, reg(), reg()))
		}
		inst.PC = uint32(pc)
		list = append(list, inst)
	}
	meet := script.Op(workload.Barrier, workload.NoReg)
	meet.PC = uint32(n)
	list[n/2], list[n/2].PC = meet, uint32(n/2)
	return list
}

// tell runs the story and returns its transcript: the issues of each cycle, then the
// causes of the schedulers' other cycles by tenant.
func (x *story) tell(t *testing.T) string {
	b := newBench(t, x.spec, func(b Builder) Builder { return b.WithSwitching(x.tells) })
	if b.mmu != nil {
		b.mmu.latency, b.mmu.service, b.mmu.local = []uint64{3, 11, 40}, 150, x.local
		if x.faults {
			b.mmu.missing = func(region uint64) protocol.Fault {
				if region&(1<<tenant.AddressShift-1) >= 1<<40 { // local memory
					return protocol.NoFault
				}
				return protocol.Migrate
			}
		}
	}
	gate := &scribe{}
	b.sm.gates.Add(gate)
	for _, m := range x.sent {
		b.driver.Send(0, m.(sim.Msg))
	}
	for i := range uint64(3) {
		for j := range tenant.ID(2) {
			seed := i*7 + uint64(j)*3
			b.place(j, medley(seed, x.lean), medley(seed+1, x.lean), medley(seed+2, x.lean))
		}
	}
	e := b.preEng()
	e.Answer = func(cycle uint64, m sim.Msg) {
		left, ok := m.(*protocol.TBEvicted)
		if !ok || left.Serial > uint64(len(b.placed)) {
			return
		}
		for _, o := range x.orders {
			if o.serial != left.Serial {
				continue
			}
			if o.halts {
				e.Send(cycle, &protocol.Halt{})
			}
			if was := b.placed[o.serial-1]; left.Context != nil {
				e.Send(cycle+o.after, &protocol.PlaceTB{TB: was.TB, Account: was.Account, Serial: 100 + o.serial, Context: left.Context, Demand: was.Demand})
			}
		}
	}
	for _, o := range x.orders {
		if o.halts {
			e.Send(o.at, &protocol.Halt{On: true})
		}
		e.Send(o.at, &protocol.EvictTB{Serial: o.serial})
	}
	text := x.watch(b, gate)
	digest := fnv.New64a()
	for i := range b.memory.seen {
		p := &b.memory.seen[i]
		fmt.Fprintln(digest, b.memory.at[i], p.Kind, p.Addr, p.Account, p.Sectors)
	}
	for _, m := range b.driver.Got {
		fmt.Fprintf(digest, "%d %T", m.Cycle, m.Msg)
	}
	k, other := b.kernel(0), b.kernel(1)
	return text + fmt.Sprintf("%d messages to the driver, %d packets, digest %x; replays %d and %d\n",
		len(b.driver.Got), len(b.memory.seen), digest.Sum64(), k.Replays, other.Replays)
}

// watch runs the bench cycle by cycle until all thread blocks have ended.
func (x *story) watch(b *bench, gate *scribe) string {
	var out strings.Builder
	last, since := "", uint64(0)
	flush := func(cycle uint64) {
		if last != "" {
			fmt.Fprintf(&out, "%d-%d%s\n", since, cycle-1, last)
		}
	}
	var was Stats
	ended := func() (n uint64) {
		return b.sm.Stats(0).Total().TBsFinished
	}
	for cycle := uint64(0); ended() < uint64(len(b.placed)) && cycle < 20_000; cycle++ {
		b.RunTo(cycle + 1)
		now := stats.Sum([]Stats{*b.sm.Stats(cycle + 1)}) // a copy
		line := ""
		for id := range tenant.ID(2) {
			for _, c := range Causes() {
				if n := now.Accounts.Get(tenant.Account(id)).Stalls[c.Cause] - was.Accounts.Get(tenant.Account(id)).Stalls[c.Cause]; n > 0 && c.Cause != Issued {
					line += fmt.Sprintf(" %s/%d*%d", c.Name, id, n)
				}
			}
		}
		if n := now.IdleCycles - was.IdleCycles; n > 0 {
			line += fmt.Sprintf(" idle*%d", n)
		}
		was = now
		if len(gate.line) > 0 {
			flush(cycle)
			fmt.Fprintf(&out, "%d: %s%s\n", cycle, strings.Join(gate.line, ", "), line)
			last, gate.line = "", gate.line[:0]
		} else if line != last {
			flush(cycle)
			last, since = line, cycle
		}
	}
	flush(b.Cycle())
	require.Equal(b.t, uint64(len(b.placed)), ended(), "the SM loses a thread block")
	return out.String()
}

// stories are representative SMs, of both pipelines.
func stories() map[string]*story {
	four := func() Spec {
		spec := testSpec()
		spec.Schedulers, spec.Scheduler = 4, "lrr"
		return spec
	}
	dual := four()
	dual.IssueWidth, dual.IssueSameUnit, dual.Scheduler, dual.MemoryIssue = 2, true, "gto", "bmi"
	dual.Pipes.ALU.Units, dual.Pipes.MemoryIssuePerSM = 2, true
	shared := four()
	shared.Pipes.ALU.PerSM, shared.Pipes.ALU.Units = true, 3
	shared.Pipes.SFU.PerSM, shared.Pipes.FP64.PerSM = true, true
	shared.Pipes.IMul = UnitSpec{Unit: "sfu", Interval: 3, Latency: 9}
	shared.Pipes.BranchInterval, shared.Pipes.BarrierInterval, shared.LSU.QueueDepth = 2, 3, 2
	grouped := oneScheduler()
	grouped.GroupSlots, grouped.Scheduler, grouped.MemoryIssue = 5, "2lvl-4", "mil"
	grouped.FrontEnd = frontend.Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 1, BranchLatency: 6, Refill: frontend.RefillEmpty,
		ICache: icache.Spec{Sets: 2, Ways: 1, LineBytes: 16, MSHRs: 2, MissLatency: 20}}
	quotas := protocol.NewQuotas([]int{3, 6})
	completing := protocol.NewQuotas([]int{200, 400})
	completing.Lanes, completing.PerSM, completing.AtCompletion = true, true, true
	all := map[string]*story{
		"one-scheduler":   {spec: oneScheduler(), lean: 12},
		"four-schedulers": {spec: four(), lean: 12},
		"dual-issue":      {spec: dual, lean: 12},
		"shared-pipes":    {spec: shared, lean: 12},
		"groups":          {spec: grouped, lean: 14},
		"quotas":          {spec: testSpec(), lean: 14, sent: []protocol.Control{quotas}},
		"preempted":       {spec: testSpec(), lean: 12, orders: []order{{40, 1, 50, false}, {90, 2, 10, true}, {300, 3, 100, true}}},
	}
	leaves := []order{{60, 2, 100, false}, {150, 1, 20, true}, {330, 4, 5, true}}
	for _, scheme := range []string{"stall", "wd-commit", "wd-lastcheck", "replay-queue", operandLog} {
		all[scheme] = &story{spec: queuedSpec(scheme, 2), lean: 14, faults: true, orders: leaves}
	}
	plain := queuedSpec("none", 1)
	plain.TLB.Entries, plain.MemoryIssue = 0, "mil"
	all["queue-without-faults"] = &story{spec: plain, lean: 14, orders: leaves, sent: []protocol.Control{completing}}
	both := queuedSpec("stall", 2)
	both.Queue.Order = "in-order-both"
	all["commits-in-order"] = &story{spec: both, lean: 14, faults: true, orders: leaves}
	local := queuedSpec("replay-queue", 1)
	local.Faults.HandlerCycles = 70
	all["handlers"] = &story{spec: local, lean: 10, faults: true, local: true}
	away := queuedSpec(operandLog, 2)
	all["switching"] = &story{spec: away, lean: 10, faults: true, tells: true, orders: leaves}
	return all
}

// Who issues what when, and what a cycle without issue is charged to.
func TestIssueDecisions(t *testing.T) {
	for name, x := range stories() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, x.spec.Validate())
			path := filepath.Join("testdata", name+".txt")
			text := x.tell(t)
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
				return
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), text)
		})
	}
}
