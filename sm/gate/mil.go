package gate

import (
	"math/bits"

	"cotenant/sm/warps"
	"cotenant/tenant"
)

// MIL limits each tenant's memory instructions in flight on the SM, by how often the L1
// refuses them (Dai et al., HPCA 2018, in its dynamic form; CCBP 7.5). A tenant at its
// limit issues none, and goes on with other instructions. After every milPeriod accesses
// of the tenant nextLimit sets the limit anew. There is none at first.
//
// An issue never exceeds the limit; instructions in flight when it is lowered stay. An
// instruction that is done makes room for a new one at the next cycle.
type MIL struct {
	present
	limits [tenant.Max]int
	flying [tenant.Max]int // instructions in flight
	// Of the tenant's present period: the most in flight at once, but no more than
	// its limit, accesses, and cycles for which they were refused.
	peak              [tenant.Max]int
	accesses, refused [tenant.Max]uint64
	held              tenants // at their limits
	closed            bool
}

const (
	// milPeriod is the number of a tenant's L1 accesses after which its limit is set
	// anew.
	milPeriod = 1024
	// milNone is a limit that counts as none, and the highest (ours).
	milNone = 1024
)

// NewMIL makes a gate without limits.
func NewMIL(schedulers int) *MIL {
	m := &MIL{present: newPresent(schedulers)}
	for t := range m.limits {
		m.limits[t] = milNone
	}
	return m
}

// nextLimit is the limit that follows on limit. The L1 has taken accesses, after
// refusing them for refused cycles in all; peak instructions at most were in flight.
// Each retry is a refusal: at one refusal for each access or more, the new limit is the
// peak less the refusals for each access; below that the limit grows by one.
func nextLimit(limit, peak int, accesses, refused uint64) int {
	if r := refused / accesses; r >= 1 {
		return max(1, peak-int(min(r, milNone)))
	}
	return min(limit+1, milNone)
}

// InFlight are a tenant's memory instructions in flight, and its limit.
func (m *MIL) InFlight(t tenant.ID) (now, limit int) { return m.flying[t], m.limits[t] }

// Sent counts an instruction in.
func (m *MIL) Sent(t tenant.ID, _ int) {
	m.flying[t]++
	m.peak[t] = max(m.peak[t], m.flying[t])
	if m.full(int(t)) {
		m.held.assign(int(t), true)
		m.closed = true
	}
}

// Accessed counts accesses, and sets the limit anew after the last of a period.
func (m *MIL) Accessed(t tenant.ID, accesses int, refused uint64) {
	m.accesses[t] += uint64(accesses)
	m.refused[t] += refused
	if m.accesses[t] < milPeriod {
		return
	}
	m.limits[t] = nextLimit(m.limits[t], m.peak[t], m.accesses[t], m.refused[t])
	m.accesses[t], m.refused[t] = 0, 0
	m.peak[t] = min(m.flying[t], m.limits[t])
	m.stale = true
}

// Done counts an instruction out.
func (m *MIL) Done(t tenant.ID) {
	m.flying[t]--
	m.stale = true
}

// Closed reports whether a tenant has come to its limit.
func (m *MIL) Closed() bool {
	closed := m.closed
	m.closed = false
	return closed
}

// Edge finds who is at its limit.
func (m *MIL) Edge() (changed bool) {
	if !m.stale {
		return false
	}
	m.stale = false
	for t := range m.limits {
		m.held.assign(t, m.full(t))
	}
	return true
}

func (m *MIL) full(t int) bool { return m.limits[t] < milNone && m.flying[t] >= m.limits[t] }

// Masks are the slots of tenants at their limits, for memory instructions.
func (m *MIL) Masks(scheduler int) (all, memory warps.Mask) {
	for held := m.held; held != 0; held &= held - 1 {
		memory |= m.slots[scheduler][bits.TrailingZeros32(uint32(held))]
	}
	return 0, memory
}
