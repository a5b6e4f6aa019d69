package packed

import "cotenant/workload"

// Capture packs the warps of a launch while they execute, in any order. It may
// go on with other launches of the same kernel, which then share its Table. A
// single goroutine uses it at a time.
type Capture struct {
	// Table is the distinct instructions seen so far.
	Table   *Table
	byEntry map[Entry]int32
	// follows guesses the entry of an instruction: the entry that came last time
	// after the warp's last one. The first is for the start of a warp.
	follows []int32
	pool    Pool
	access  Access
	free    []*Captured
}

// NewCapture returns a capture without instructions.
func NewCapture() *Capture {
	return &Capture{Table: &Table{}, byEntry: map[Entry]int32{}, follows: []int32{0}}
}

// Captured is what a thread block has executed.
type Captured struct {
	capture *Capture
	warps   []capturedWarp
}

type capturedWarp struct {
	block  *Block // of this warp alone, since warps grow side by side
	packer Packer
	last   int32
}

// Begin returns a thread block of a number of warps that has executed nothing.
func (c *Capture) Begin(warps int) *Captured {
	var t *Captured
	if n := len(c.free); n > 0 && len(c.free[n-1].warps) == warps {
		t = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		t = &Captured{capture: c, warps: make([]capturedWarp, warps)}
		for i := range t.warps {
			t.warps[i].block, t.warps[i].packer = NewBlock(c.Table, 1), NewPacker(&c.pool)
		}
	}
	for i := range t.warps {
		w := &t.warps[i]
		w.last = -1
		w.packer.Start(w.block)
		w.packer.Begin(0)
	}
	return t
}

// Recycle gives back a thread block's memory.
func (c *Capture) Recycle(t *Captured) {
	for i := range t.warps {
		t.warps[i].block.Recycle(&c.pool)
	}
	c.free = append(c.free, t)
}

// Add appends an instruction that a warp has just executed.
func (t *Captured) Add(warp int, inst *workload.Inst) {
	c, w := t.capture, &t.warps[warp]
	e := Entry{PC: inst.PC, Dst: inst.Dst, Src: inst.Src, Class: inst.Class, Space: inst.Space,
		Flags: inst.Flags &^ workload.Redirect, Width: inst.Width,
		Barrier: inst.Barrier, Warps: inst.Warps}
	index := c.follows[w.last+1]
	if int(index) >= len(c.Table.Insts) || c.Table.Insts[index] != e {
		index = c.find(&e)
		c.follows[w.last+1] = index
	}
	w.last = index
	var a *Access
	if workload.Addressed(inst.Class, inst.Space) && inst.Active != 0 {
		a = &c.access
		if inst.Lanes == nil {
			a.Base, a.Stride, a.Affine = inst.Base, inst.Stride, true
		} else {
			a.Lanes = *inst.Lanes
			a.Summarise(inst.Active)
		}
	}
	w.packer.Put(index, inst.Active, a, inst.Width)
	phase := inst.Class == workload.Await && inst.Warps == workload.PhaseWaits // another run may find it ended
	if inst.Flags&workload.Redirect != 0 && !phase {
		w.packer.Redirected()
	}
}

// find returns the index of an entry, which it adds to the table if it is new.
func (c *Capture) find(e *Entry) int32 {
	index, ok := c.byEntry[*e]
	if !ok {
		index = int32(len(c.Table.Insts))
		c.byEntry[*e] = index
		c.Table.Insts = append(c.Table.Insts, *e)
		c.follows = append(c.follows, index+1)
	}
	return index
}

// Streams appends the streams that read the warps from the start to list. They
// are valid until the thread block is recycled.
func (t *Captured) Streams(list []*Stream) []*Stream {
	for i := range t.warps {
		b := t.warps[i].block
		b.Rewind()
		list = append(list, &b.Streams[0])
	}
	return list
}
