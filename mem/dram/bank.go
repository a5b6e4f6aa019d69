package dram

// direction of a transfer. It indexes the queues; a unified queue is the queue of reads.
type direction uint8

const (
	reading direction = iota
	writing
)

// waiting holds the requests of one queue that wait for one bank.
type waiting struct {
	list
	// hit is the oldest request to the open row, nil if there is none.
	hit *entry
}

// bank is the state of one DRAM bank and of the requests to it.
type bank struct {
	waiting [2]waiting

	number, group uint8

	open bool
	row  uint64 // the open one

	// First cycles at which the bank itself allows a command.
	activateAt, columnAt, prechargeAt uint64

	// target is the request of the present queue that the bank works towards.
	target *entry

	// overtaken counts the requests to the open row that were served before an
	// older request to another row.
	overtaken int
	// openedFor is the request that opened the row, until the request is served.
	// openedInConflict says that another row was closed for it, conflict the same of
	// the next row.
	openedFor        *entry
	openedInConflict bool
	conflict         bool
}

// seekHits finds the oldest requests to a row that has just been opened.
func (b *bank) seekHits() {
	for d := range b.waiting {
		w := &b.waiting[d]
		w.hit = firstTo(w.oldest, b.row)
	}
}

// close closes the open row; the next can be opened from a cycle on.
func (b *bank) close(next uint64) {
	b.open = false
	b.activateAt = max(b.activateAt, next)
	b.waiting[reading].hit, b.waiting[writing].hit = nil, nil
}

// notWritten removes from sectors of a line the sectors that a waiting write holds.
func (b *bank) notWritten(addr uint64, sectors uint8) uint8 {
	for e := b.waiting[writing].oldest; e != nil; e = e.next {
		if e.request.Addr == addr {
			sectors &^= e.request.Sectors
		}
	}
	return sectors
}

// firstTo returns the first request to a row, from e on.
func firstTo(e *entry, row uint64) *entry {
	for e != nil && e.row != row {
		e = e.next
	}
	return e
}

func (b *bank) add(d direction, e *entry) {
	w := &b.waiting[d]
	w.add(e)
	if w.hit == nil && b.open && e.row == b.row {
		w.hit = e
	}
}

func (b *bank) remove(d direction, e *entry) {
	w := &b.waiting[d]
	if e != w.oldest {
		b.overtaken++
	}
	if e == w.hit {
		w.hit = firstTo(e.next, b.row)
	}
	w.remove(e)
}
