package dram

// direction of a transfer, an index.
type direction uint8

const (
	reading direction = iota
	writing
)

// waiting holds the requests of one direction that wait for one bank.
type waiting struct {
	list
	// hit is the oldest request to the open row, nil if there is none.
	hit *Request
}

// bank is the state of one DRAM bank and of the requests to it.
type bank struct {
	waiting [2]waiting

	number, group uint8

	open bool
	row  uint64 // the open one

	// First cycles at which the bank itself allows a command.
	activateAt, columnAt, prechargeAt uint64

	// target is the request that the bank works towards in the present
	// direction.
	target *Request

	// overtaken counts the requests to the open row that were served before an
	// older one to another row.
	overtaken int
	// openedFor is the request for which the row was opened, until it is
	// served, and openedInConflict that another row had to be closed for it.
	// Conflict says the latter of the next row.
	openedFor        *Request
	openedInConflict bool
	conflict         bool
}

// aim is the next command that a bank needs for its target, apart from the
// bank so that all aims lie together.
type aim struct {
	at    uint64 // first cycle at which the bank allows it
	rank  uint64 // priority of the target as scheduler has it, and bank number
	floor uint8  // index of the bus's floor for it: what kind of command it is
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

// notWritten removes from sectors of a line those that a waiting write holds.
func (b *bank) notWritten(addr uint64, sectors uint8) uint8 {
	for r := b.waiting[writing].oldest; r != nil; r = r.next {
		if r.Addr == addr {
			sectors &^= r.Sectors
		}
	}
	return sectors
}

// firstTo returns the first request to a row, from r on.
func firstTo(r *Request, row uint64) *Request {
	for r != nil && r.row != row {
		r = r.next
	}
	return r
}

func (b *bank) add(d direction, r *Request) {
	w := &b.waiting[d]
	w.add(r)
	if w.hit == nil && b.open && r.row == b.row {
		w.hit = r
	}
}

func (b *bank) remove(d direction, r *Request) {
	w := &b.waiting[d]
	if r != w.oldest {
		b.overtaken++
	}
	if r == w.hit {
		w.hit = firstTo(r.next, b.row)
	}
	w.remove(r)
}
