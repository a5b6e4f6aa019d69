package exec

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// An mbarrier is 8 bytes of shared memory (PTX ISA, "Parallel Synchronization and Communication
// Instructions: mbarrier"). A phase ends when no arrival is pending and all bytes that the phase expects
// have come; the next phase then begins with as many pending arrivals as it expects. Where PTX leaves
// the form open, here bits 0 to 19 count the pending arrivals, 20 to 39 the expected ones, and 40 to 62 the
// bytes; bit 63 is the parity of the phase. A memory of zeroes is no mbarrier.
type mbarrier uint64

const (
	mbarrierBytes = 8
	countBits     = 20
	maxCount      = 1<<countBits - 1
	phaseBit      = 63
	txBits        = phaseBit - 2*countBits
)

func (b mbarrier) pending() uint64  { return uint64(b) & maxCount }
func (b mbarrier) expected() uint64 { return uint64(b) >> countBits & maxCount }
func (b mbarrier) phase() uint64    { return uint64(b) >> phaseBit }

// bytes may be negative, as copies may end before the phase expects them.
func (b mbarrier) bytes() int64 { return int64(b) << 1 >> (2*countBits + 1) }

// barrierOf is an mbarrier with these counts, in its next phase if the phase has ended.
func barrierOf(phase, pending, expected uint64, tx int64) mbarrier {
	if pending == 0 && tx == 0 {
		phase, pending = phase^1, expected
	}
	return mbarrier(phase<<phaseBit | uint64(tx)&(1<<txBits-1)<<(2*countBits) | expected<<countBits | pending)
}

// arrive takes arrivals off the pending ones, drop of them from later phases, too, expects bytes first if
// expect is positive, and takes those off that came if it is negative. problem says what is wrong with it.
func (b mbarrier) arrive(count, drop uint64, expect int64) (next mbarrier, problem string) {
	tx := b.bytes() + expect
	switch {
	case b.expected() == 0:
		return b, "there is no mbarrier; valid is one that mbarrier.init has made"
	case count > b.pending():
		return b, fmt.Sprintf("%d arrivals, of which %d are pending; valid are up to that", count, b.pending())
	case tx > maxCount || tx < -maxCount:
		return b, fmt.Sprintf("the phase expects %d bytes; valid are up to %d", tx, maxCount)
	}
	return barrierOf(b.phase(), b.pending()-count, b.expected()-drop, tx), ""
}

// barrierOp is how an mbarrier instruction goes: which of its operands is what.
type barrierOp struct {
	count    int32 // slot of the number of arrivals
	tx       int32 // slot of the bytes
	sign     int64 // of the bytes: 1 expects them, -1 takes them off
	arrives  bool
	drops    bool
	parity   bool
	complete bool // the arrival must not end the phase
}

func buildMbarrier(b *builder) {
	o, in := &b.o, b.in
	if in.Has("pending_count") {
		b.lane1(func(a uint64) uint64 { return mbarrier(a).pending() })
		return
	}
	o.bytes, o.memory, o.writes = mbarrierBytes, true, true
	if len(in.Dst) > 0 && in.Dst[0].Kind == ptx.Underscore {
		o.dst = unwanted
	}
	one, none := b.constant(1), b.constant(0)
	a := &barrierOp{count: one, tx: none, sign: 1}
	switch {
	case in.Has("init"):
		o.run = runInitBarrier
		return
	case in.Has("inval"):
		o.run = func(w *Warp, o *op) {
			w.barrierWords(o, func(int, []byte, mbarrier) (mbarrier, string) { return 0, "" })
		}
		return
	case in.Has("test_wait"), in.Has("try_wait"):
		o.writes, o.barrier = false, true
		a.parity = in.Has("parity")
		o.run = a.test
		return
	case in.Has("expect_tx") && !in.Has("arrive") && !in.Has("arrive_drop"):
		a.tx, a.count = o.b, none
	case in.Has("complete_tx"):
		a.tx, a.count, a.sign = o.b, none, -1
	default:
		a.arrives, a.drops, a.complete = true, in.Has("arrive_drop"), in.Has("noComplete")
		switch {
		case in.Has("expect_tx"):
			a.tx = o.b
		case len(in.Src) > 1:
			a.count = o.b
		}
	}
	o.run = a.run
}

// barrierWords does something with the mbarrier of each active lane, in the order of the lanes.
func (w *Warp) barrierWords(o *op, change func(lane int, at []byte, b mbarrier) (mbarrier, string)) {
	w.locate(o)
	if len(w.tb.late) > 0 {
		w.hear(o)
	}
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		at := w.barrierAt(o, i, w.addrs[i])
		if at == nil {
			return
		}
		next, problem := change(i, at, mbarrier(binary.LittleEndian.Uint64(at)))
		if problem != "" {
			w.fail(o, LaunchFailure, i, problem)
			return
		}
		binary.LittleEndian.PutUint64(at, uint64(next))
	}
}

// barrierAt is the memory of an mbarrier, nil after a fault.
func (w *Warp) barrierAt(o *op, lane int, addr uint64) []byte {
	if space := w.space; space != ptx.Shared {
		w.fail(o, InvalidAddressSpace, lane, "its address is not in shared memory")
		return nil
	}
	v := w.reach(o, lane, addr, mbarrierBytes)
	if v.data == nil {
		return nil
	}
	return v.data[addr&mappedOffset:]
}

func runInitBarrier(w *Warp, o *op) {
	counts := w.src(o.b)
	w.barrierWords(o, func(lane int, _ []byte, _ mbarrier) (mbarrier, string) {
		count := counts[lane] & 0xffffffff
		if count < 1 || count > maxCount {
			return 0, fmt.Sprintf("count %d; valid are 1 to %d", count, maxCount)
		}
		return mbarrier(count<<countBits | count), ""
	})
}

// run arrives, and has the state before that as its result.
func (a *barrierOp) run(w *Warp, o *op) {
	counts, bytes, d := w.src(a.count), w.src(a.tx), &w.regs[o.dst]
	w.barrierWords(o, func(lane int, at []byte, b mbarrier) (mbarrier, string) {
		count, tx := counts[lane]&0xffffffff, int64(int32(bytes[lane]))
		if a.arrives && count == 0 {
			return b, "0 arrivals; valid are 1 or more"
		}
		drop := uint64(0)
		if a.drops {
			drop = count
		}
		if there := w.elsewhere(w.addrs[lane]); there != nil {
			if o.dst != unwanted && a.arrives {
				return b, "its mbarrier is in another thread block, which gives no state; valid is _ for the result"
			}
			problem := w.signal(there, signal{at: w.addrs[lane] & mappedOffset, count: count, drop: drop, bytes: a.sign * tx})
			return mbarrier(binary.LittleEndian.Uint64(at)), problem
		}
		next, problem := b.arrive(count, drop, a.sign*tx)
		if a.complete && problem == "" && next.phase() != b.phase() {
			problem = "the arrival ends the phase; valid with .noComplete is one that does not"
		}
		if a.arrives && o.dst != unwanted {
			d[lane] = uint64(b)
		}
		if a.arrives {
			w.launch.check.arrived(w, w.addrs[lane])
		}
		return next, problem
	})
}

// test finds out whether a phase has ended: the phase of a state, or the last phase with a parity.
func (a *barrierOp) test(w *Warp, o *op) {
	which, ended := w.src(o.b), uint32(0)
	w.barrierWords(o, func(lane int, _ []byte, b mbarrier) (mbarrier, string) {
		if b.expected() == 0 && b.pending() == 0 && b == 0 {
			return b, "there is no mbarrier; valid is one that mbarrier.init has made"
		}
		before := which[lane] >> phaseBit
		if a.parity {
			before = which[lane] & 1
		}
		if b.phase() != before {
			ended |= 1 << lane
			w.launch.check.sawEnd(w, w.addrs[lane])
		}
		return b, ""
	})
	w.setPred(o.pdst, ended)
	w.barrier = Result{Retries: ended&w.active != w.active}
}

// finished tells the mbarrier at an address of shared memory that bytes have come.
func (w *Warp) finished(o *op, lane int, addr uint64, bytes int64) {
	w.space = ptx.Shared
	at := w.barrierAt(o, lane, addr)
	if at == nil {
		return
	}
	if there := w.elsewhere(addr); there != nil {
		s := signal{at: addr & mappedOffset, bytes: -bytes}
		if _, timed := w.tb.now(); timed && o.inst.Op == "cp" {
			w.sendLater(o, lane, there, s)
		} else if problem := w.signal(there, s); problem != "" {
			w.fail(o, LaunchFailure, lane, problem)
		}
		return
	}
	w.tells, w.tellsOwn = workload.MBarrier(addr), true
	w.launch.check.arrived(w, addr)
	next, problem := mbarrier(binary.LittleEndian.Uint64(at)).arrive(0, 0, -bytes)
	if problem != "" {
		w.fail(o, LaunchFailure, lane, problem)
		return
	}
	binary.LittleEndian.PutUint64(at, uint64(next))
}

// buildCopyArrival builds cp.async.mbarrier.arrive: copies are complete when they have issued, so the
// thread arrives at once. Without .noinc the phase expects one arrival more, which is this one.
func buildCopyArrival(b *builder) {
	o, in := &b.o, b.in
	b.address(in.Src[0])
	o.bytes, o.memory, o.writes = mbarrierBytes, true, true
	if !in.Has("noinc") {
		o.run = func(w *Warp, o *op) {
			w.mbarrierWaits()
			w.barrierWords(o, func(lane int, _ []byte, b mbarrier) (mbarrier, string) {
				w.launch.check.arrived(w, w.addrs[lane])
				return b.arrive(0, 0, 0)
			})
		}
		return
	}
	a := &barrierOp{count: b.constant(1), tx: b.constant(0), sign: 1, arrives: true}
	o.dst = unwanted
	o.run = func(w *Warp, o *op) {
		w.mbarrierWaits()
		a.run(w, o)
	}
}

// mbarrierWaits takes the copies of the active lanes for waited for: from here on an mbarrier knows of them,
// and CheckAsync does not follow which.
func (w *Warp) mbarrierWaits() {
	if w.tb.async != nil {
		w.group(true, true, 0)
	}
}
