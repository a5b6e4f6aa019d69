package sm

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// table is a cycle table of the thesis, or one derived from its rules.
type table struct {
	Name, Scheme, Issue, Commit string
	Rows                        []struct {
		Instruction string
		Stages      []string
	}
	Releases []struct {
		LastTLBCheck *uint64 `json:"last_tlb_check"`
	}
	LogEntries    int                     `json:"log_entries"`
	FaultDetected uint64                  `json:"fault_detected"`
	DrainedAt     uint64                  `json:"drained_at"`
	ReplayQueue   []string                `json:"replay_queue"`
	OperandLog    []struct{ Entries int } `json:"operand_log"`
}

func tables(t *testing.T) (v struct{ Tables, Faults, Replays []table }) {
	text, err := os.ReadFile("issuequeue/testdata/faults_pipeline.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

var register = regexp.MustCompile(`R(\d+)`)

// parse reads an instruction of the tables. Each has its own line and page if it is a
// load, and its number as PC.
func parse(text string, number int) workload.Inst {
	dst, what, _ := strings.Cut(text, " <- ")
	inst := script.Op(workload.Int, workload.NoReg)
	if strings.HasPrefix(what, "ld ") {
		inst = load(0, 0x10000*uint64(number+1))
	}
	regs := func(text string, to []uint8) {
		for i, m := range register.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1])
			to[i] = uint8(n)
		}
	}
	regs(dst, inst.Dst[:])
	regs(what, inst.Src[:])
	inst.PC = uint32(number)
	return inst
}

// stage is the cycle of a row's stage, 0 if it has none.
func (x *table) stage(row int, name string) uint64 {
	return uint64(slices.Index(x.Rows[row].Stages, name) + 1)
}

// bench is an SM on which loads take the seven cycles of the tables: all lines are in
// the L1, and what an access waits for is its page, which comes in the cycle of the
// last check, or is there if that is the first cycle of execution.
func (x *table) bench(t *testing.T, check uint64, program []workload.Inst) (*bench, *watch) {
	scheme := map[string]string{"baseline": "stall", "rq": "replay-queue", "ol": operandLog}[x.Scheme]
	if scheme == "" {
		scheme = x.Scheme
	}
	spec := queuedSpec(scheme, 1)
	switch {
	case x.Issue != "" && x.Commit != "":
		spec.Queue.Order = "in-order-both"
	case x.Issue != "":
		spec.Queue.Order = "in-order"
	case x.Commit != "":
		spec.Queue.Order = "in-order-commit"
	}
	if x.LogEntries > 0 {
		spec.TBs, spec.Faults.LogBytes = 1, x.LogEntries*256
	}
	spec.L1.HitLatency, spec.L1.Sets = 10, 64
	if check > 2 {
		spec.TLB.Entries, spec.TLB.Ways = 1, 1
		spec.L1.HitLatency = int(11 - check)
	}
	b := newBench(t, spec)
	var warm []workload.Inst
	for _, inst := range program {
		if inst.Class == workload.Load {
			warm = append(warm, inst)
		}
	}
	warm = append(warm, load(100, 0x1000000))
	b.place(0, warm)
	b.run()
	if check > 2 {
		b.mmu.latency = []uint64{check - 3}
	}
	return b, b.watch()
}

// TestTables runs the tables of arithmetic and loads alone.
func TestTables(t *testing.T) {
	shown := 0
	for _, x := range tables(t).Tables {
		if slices.ContainsFunc(x.Rows, func(r struct {
			Instruction string
			Stages      []string
		}) bool {
			return strings.HasPrefix(r.Instruction, "st ")
		}) {
			continue // a store of the figures takes as long as a load
		}
		shown++
		t.Run(x.Name, func(t *testing.T) {
			var program []workload.Inst
			for i, r := range x.Rows {
				program = append(program, parse(r.Instruction, i))
			}
			check := *x.Releases[0].LastTLBCheck - x.stage(0, "I")
			b, w := x.bench(t, check, program)
			faults := !slices.Contains(x.Rows[0].Stages, "C")
			if faults {
				b.mmu.missing = func(uint64) protocol.Fault { return protocol.Migrate }
			}
			b.place(0, program)
			b.run()
			require.Len(t, w.issued, len(program))
			start := w.issued[0].cycle - x.stage(0, "I")
			end := uint64(len(x.Rows[0].Stages))
			for _, i := range w.issued {
				want := x.stage(int(i.inst.PC), "I")
				if want == 0 { // within the table
					require.Greater(t, i.cycle-start, end)
					continue
				}
				require.Equal(t, want, i.cycle-start, x.Rows[i.inst.PC].Instruction)
			}
		})
	}
	require.Equal(t, 14, shown)
}

// TestFaultTables has the load of the tables fault, and its warp taken off: what is in
// its context, and what it does once its region has been served, here or elsewhere.
func TestFaultTables(t *testing.T) {
	v := tables(t)
	replays := map[string]table{}
	for _, r := range v.Replays {
		replays[r.Scheme] = r
	}
	texts := []string{"R3 <- ld [R2]", "R2 <- add R7, 8", "R8 <- mul R3, 3", "R9 <- sub R9, 4", "R1 <- or R1, 1"}
	for _, x := range v.Faults {
		for _, leaves := range []bool{false, true} {
			t.Run(x.Name, func(t *testing.T) {
				var program []workload.Inst
				for i, text := range texts[:4] {
					program = append(program, parse(text, i))
				}
				b, w := x.bench(t, x.FaultDetected-2, program)
				b.mmu.missing = func(uint64) protocol.Fault { return protocol.Migrate }
				b.mmu.latency = []uint64{x.FaultDetected - 2 - 3, 5}
				at := b.Cycle() + 10
				b.placeStreamsAt(at, 0, &recorder{list: program, sm: b.sm})
				e := b.preEng()
				start := at + 1 // the SM places it at the edge behind, and fetches at the next
				if leaves {
					e.Send(start+x.DrainedAt+1, &protocol.EvictTB{Serial: 2})
					b.RunTo(start + 200)
					require.Len(t, e.evicted(), 1)
					c := e.evicted()[0].Msg.Context
					var queue []string
					for _, n := range c.Warps[0].Queue {
						queue = append(queue, texts[n.Inst.PC])
					}
					want, log := x.ReplayQueue, 0
					for _, l := range x.OperandLog {
						log += l.Entries
					}
					bytes := 16*len(want) + 256*log
					if len(want) == 0 {
						want, bytes = texts[:1], 0
					}
					require.Equal(t, want, queue)
					require.Equal(t, bytes, c.Extra)
					e.Send(start+2000, &protocol.PlaceTB{TB: b.placed[1].TB, Serial: 3, Context: c, Demand: b.placed[1].Demand})
				}
				b.Run()
				require.Equal(t, uint64(1), b.kernel(0).Faults)
				require.Equal(t, uint64(1), b.kernel(0).Replays)
				require.Equal(t, uint64(2), b.kernel(0).TBsFinished)
				require.Len(t, w.issued, len(program))
				require.Empty(t, w.live)
				r, ok := replays[x.Scheme]
				if !ok || x.FaultDetected != 10 || leaves {
					return
				}
				resumed := b.mmu.at[0] - 1
				got := map[string]uint64{}
				for _, i := range w.issued {
					got[texts[i.inst.PC]] = i.cycle - resumed
				}
				// The load's own replay is not told of: its page is asked for, a cycle behind
				// and one on the link.
				last := b.mmu.asked[len(b.mmu.asked)-1]
				got[texts[0]] = last.cycle - 2 - resumed
				for i, row := range r.Rows {
					if row.Instruction == texts[4] {
						continue // the figures fetch it after all other instructions
					}
					require.Equal(t, r.stage(i, "I"), got[row.Instruction], row.Instruction)
				}
			})
		}
	}
}
