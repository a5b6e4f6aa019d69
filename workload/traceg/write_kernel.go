package traceg

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// writtenVersion is the tracer version of written traces.
const writtenVersion = 5

// KernelWriter writes the file of one launch.
type KernelWriter struct {
	trace  *Writer
	kernel *workload.Kernel
	table  *packed.Table
	out    *bufio.Writer
	close  func() error // what follows the text
	path   string
	forms  []writtenForm // by table index
	listed map[string]string
	lists  []string // in order of appearance
	line   []byte
	last   *writtenForm // before the current instruction, if that was a branch
	taken  bool         // it was
	lanes  [workload.WarpSize]uint64
}

// writtenForm is the text of an instruction around its mask.
type writtenForm struct {
	head, tail string
	pc         uint32
	memory     bool
	branch     bool
}

// header writes what stands before the first thread block.
func (w *KernelWriter) header(id int) {
	k := w.kernel
	fmt.Fprintf(w.out, "-kernel name = %s\n-kernel id = %d\n-grid dim = %v\n-block dim = %v\n-shmem = %d\n-nregs = %d\n",
		nameOf(k), id, k.Grid, k.Block, k.SharedBytesPerTB, registersPerThread(k))
	fmt.Fprintf(w.out, "-binary version = %d\n-cuda stream id = %d\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n", writtenBinary, k.Stream)
	fmt.Fprintf(w.out, "-nvbit version = none\n-accelsim tracer version = %d\n-enable lineinfo = 0\n\n", writtenVersion)
	w.out.WriteString("#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n")
}

// nameOf is a kernel's name as a header takes it: one line, not empty.
func nameOf(k *workload.Kernel) string {
	if name := strings.Join(strings.Fields(k.Name), " "); name != "" {
		return name
	}
	return "kernel"
}

// registersPerThread rounds up to whole registers of each thread, within what
// a header may say.
func registersPerThread(k *workload.Kernel) int {
	threads := k.ThreadsPerTB()
	return min(max((k.RegistersPerTB+threads-1)/threads, 1), maxRegisters)
}

// TB writes a thread block: warps are its streams, from their start, of
// instructions in the table that the kernel was begun with. Thread blocks come
// in the order of their numbers.
func (w *KernelWriter) TB(id int, warps []*packed.Stream) error {
	g := w.kernel.Grid
	fmt.Fprintf(w.out, "\n#BEGIN_TB\n\nthread block = %d,%d,%d\n", id%g.X, id/g.X%g.Y, id/g.X/g.Y)
	var inst workload.Inst
	for i, s := range warps {
		fmt.Fprintf(w.out, "\nwarp = %d\ninsts = %d\n", i, s.Left())
		w.last = nil
		for s.Fetch(&inst) {
			w.instruction(w.form(s.Index()), &inst)
		}
	}
	_, err := w.out.WriteString("\n#END_TB\n")
	w.trace.Counts.TBs++
	return err
}

// form is the text of the table's instruction with an index.
func (w *KernelWriter) form(index int) *writtenForm {
	for i := len(w.forms); i < len(w.table.Insts); i++ {
		e := &w.table.Insts[i]
		if e.Class.IsMemory() && e.Width == 0 {
			// An access that no lane makes. Its width is unknown.
			known := *e
			known.Width = 4
			e = &known
		}
		s := spell(e)
		f := writtenForm{head: fmt.Sprintf("%04x ", e.PC), tail: " " + s.tail(e), pc: e.PC,
			memory: e.Class.IsMemory(), branch: e.Class == workload.Branch}
		w.forms = append(w.forms, f)
		w.trace.Counts.note(e, &s)
		w.list(&f, e, &s)
	}
	return &w.forms[index]
}

// list notes the registers of an instruction without an exact line. If another
// instruction has the same line, the registers of that instruction win.
func (w *KernelWriter) list(f *writtenForm, e *packed.Entry, s *spelling) {
	text := f.head + strings.TrimSpace(f.tail)
	have, seen := w.listed[text]
	full := ""
	if !s.exact {
		full = text + " =" + registerText(e.Dst[:]) + " :" + registerText(e.Src[:])
	}
	if !seen {
		w.listed[text] = full
		if full != "" {
			w.lists = append(w.lists, full)
		}
	} else if have != full {
		w.trace.Counts.Ambiguous++
	}
}

func registerText(list []uint8) string {
	var b strings.Builder
	for _, r := range named(list) {
		fmt.Fprintf(&b, " R%d", r)
	}
	return b.String()
}

func (w *KernelWriter) instruction(f *writtenForm, inst *workload.Inst) {
	c := &w.trace.Counts
	c.WarpInstructions++
	c.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
	if inst.Class == workload.Constant && (inst.Lanes != nil || inst.Stride != 0) {
		c.Constants++
	}
	if w.last != nil && fallsThrough(w.last.pc, f.pc, writtenBinary) == w.taken {
		c.Branches++
	}
	if w.last = nil; f.branch {
		w.last, w.taken = f, inst.Flags&workload.Redirect != 0
	}
	b := append(w.line[:0], f.head...)
	var mask [4]byte
	binary.BigEndian.PutUint32(mask[:], inst.Active)
	for _, v := range mask {
		b = append(b, hexDigits[v>>4], hexDigits[v&15])
	}
	b = append(b, f.tail...)
	if f.memory {
		b = w.addresses(append(b, ' '), inst)
	}
	w.line = append(b, '\n')
	w.out.Write(w.line) // an error stays until Flush
}

const hexDigits = "0123456789abcdef"

// addresses appends mode, addresses and immediate.
func (w *KernelWriter) addresses(b []byte, inst *workload.Inst) []byte {
	run := inst.Active >> (bits.TrailingZeros32(inst.Active) & 31)
	if inst.Lanes == nil && run&(run+1) == 0 {
		b = append(b, "1 0x"...)
		b = strconv.AppendUint(b, inst.Base, 16)
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(inst.Stride), 10)
		return append(b, " 0"...)
	}
	lanes := inst.Lanes
	low := bits.TrailingZeros32(inst.Active)
	if lanes == nil {
		lanes = &w.lanes
		for m := inst.Active; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			lanes[lane] = inst.Base + uint64(int64(inst.Stride)*int64(lane-low))
		}
	}
	b = append(b, "2 0x"...)
	b = strconv.AppendUint(b, lanes[low], 16)
	last := lanes[low]
	for m := inst.Active & (inst.Active - 1); m != 0; m &= m - 1 {
		addr := lanes[bits.TrailingZeros32(m)]
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(addr-last), 10)
		last = addr
	}
	return append(b, " 0"...)
}
