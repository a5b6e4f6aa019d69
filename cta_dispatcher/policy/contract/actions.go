package contract

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// Place makes machine a policy.Actions; it checks what the policy asks for.
func (m *machine) Place(tenant, sm int) {
	t, s := &m.view.Tenants[tenant], &m.view.SMs[sm]
	switch {
	case m.fault != nil:
		return
	case t.Waiting == 0:
		m.fail("a thread block of tenant %d is placed that does not exist", tenant)
		return
	case s.Reserved:
		m.fail("tenant %d is placed on SM %d, which is reserved", tenant, sm)
		return
	case !s.Capacity.Fits(&s.Usage, t.Demand):
		m.fail("SM %d is overfilled with tenant %d", sm, tenant)
		return
	}
	k := &m.tenants[tenant].kernels[m.kernel[tenant]]
	b := block{placement: placement{tenant, m.kernel[tenant], 0, sm, m.now}, from: m.now}
	if queue := m.preempted[tenant]; len(queue) > 0 {
		b.id = queue[0].id
		if queue[0].saved {
			b.from += m.delay()
		}
		b.end = b.from + queue[0].left
		m.preempted[tenant] = queue[1:]
	} else {
		b.id = m.next[tenant]
		b.end = m.now + k.duration(b.id)
		m.next[tenant]++
		m.log = append(m.log, b.placement)
	}
	t.Waiting--
	t.Running++
	s.Usage.Take(t.Demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(t.Demand)
	m.blocks = append(m.blocks, b)
	m.watch.act("place", tenant, sm, 1)
}

// runsYet is what a thread block has to run yet, at a time when it may still be
// waiting for its context.
func (b *block) runsYet(now int) int { return b.end - max(now, b.from) }

// delay is how long the next context takes.
func (m *machine) delay() int {
	m.moves++
	if len(m.delays) == 0 {
		return 0
	}
	return m.delays[m.moves%len(m.delays)]
}

// Preempt makes machine a policy.Actions.
func (m *machine) Preempt(tenant, sm, n int, mechanism policy.Mechanism) {
	switch staying := m.view.SMs[sm].Staying(tenant); {
	case m.fault != nil:
		return
	case mechanism == policy.Drain:
		m.fail("single thread blocks of tenant %d are to be drained", tenant)
		return
	case n < 1 || n > staying:
		m.fail("%d thread blocks of tenant %d are to leave SM %d, where %d stay", n, tenant, sm, staying)
		return
	}
	m.watch.act("preempt", tenant, sm, n)
	for i := len(m.blocks) - 1; i >= 0 && n > 0; i-- {
		b := &m.blocks[i]
		if b.tenant != tenant || b.sm != sm || b.leaving {
			continue
		}
		n--
		if !b.moving || m.now >= b.from {
			m.evict(b, mechanism)
			continue
		}
		// It is not on the SM, and gives up its place without an event.
		m.total.preemptions++
		b.left, b.saved = b.runsYet(m.now), true
		m.release(*b)
		m.save(*b)
		m.blocks = slices.Delete(m.blocks, i, i+1)
	}
}

// PreemptSM makes machine a policy.Actions.
func (m *machine) PreemptSM(sm int, mechanism policy.Mechanism) {
	s := &m.view.SMs[sm]
	switch {
	case m.fault != nil:
		return
	case s.Reserved:
		m.fail("SM %d is preempted, but is reserved already", sm)
		return
	case s.TBsStaying() == 0:
		m.fail("SM %d is preempted, but has no thread block that stays", sm)
		return
	}
	m.watch.act("preempt", -1, sm, 1)
	s.Reserved = true
	for i := range m.blocks {
		if b := &m.blocks[i]; b.sm == sm && !b.leaving {
			m.evict(b, mechanism)
		}
	}
}

// evict has a thread block leave. If it finishes while its pipeline drains, it
// leaves nothing to come back for; that is a quarter of the time here.
func (m *machine) evict(b *block, mechanism policy.Mechanism) {
	m.total.preemptions++
	// Twice as many as there can be: a kernel whose contexts are on their way to
	// memory has no TB that waits, and a policy may fill its place meanwhile.
	if m.evictions++; m.evictions > 2*m.sms*m.capacity.TBs {
		m.fail("%d preemptions, though no thread block finished and no kernel came since the first", m.evictions)
	}
	left, delay := b.runsYet(m.now), 0
	if mechanism == policy.Switch {
		delay = m.delay()
	}
	if mechanism == policy.Drain {
		return // it finishes, and is not counted as leaving
	}
	b.leaving = true
	m.view.SMs[b.sm].Leaving[b.tenant]++
	if b.end-m.now <= delay/4 {
		return
	}
	if mechanism == policy.Flush {
		k := &m.tenants[b.tenant].kernels[b.kernel]
		if !k.idempotent {
			m.fail("tenant %d is flushed, though its kernel is not idempotent", b.tenant)
		}
		left = k.duration(b.id)
	}
	b.left, b.end, b.saved = left, m.now+delay, mechanism == policy.Switch
}

// Relocate makes machine a policy.Actions.
func (m *machine) Relocate(tenant, sm, n int, _ policy.Mechanism) {
	if staying := m.view.SMs[sm].Staying(tenant); n < 1 || n > staying {
		m.fail("%d thread blocks of tenant %d are to move on SM %d, where %d stay", n, tenant, sm, staying)
	}
	if m.fault != nil {
		return
	}
	m.watch.act("relocate", tenant, sm, n)
	for i := len(m.blocks) - 1; i >= 0 && n > 0; i-- {
		if b := &m.blocks[i]; b.tenant == tenant && b.sm == sm && !b.leaving {
			left := b.runsYet(m.now)
			b.moving = true
			b.from = max(m.now, b.from) + m.delay()
			b.end = b.from + left
			m.total.relocations++
			n--
		}
	}
}

// SetQuotas makes machine a policy.Actions.
func (m *machine) SetQuotas(sm int, quotas []int) {
	m.total.quotas++
	m.watch.limit(sm, quotas)
	if quotas == nil {
		return
	}
	if len(quotas) != len(m.tenants) {
		m.fail("%d quotas are set for %d tenants", len(quotas), len(m.tenants))
		return
	}
	sum := 0
	for tenant, n := range quotas {
		sum += n
		if n < 0 || n == 0 && m.view.SMs[sm].Staying(tenant) > 0 {
			m.fail("tenant %d has a quota of %d on SM %d, where it has thread blocks", tenant, n, sm)
		}
	}
	// A quota is rounded down, but never to nothing.
	if sum > m.epoch+len(quotas)-1 {
		m.fail("the quotas of SM %d add up to %d in an epoch of %d", sm, sum, m.epoch)
	}
}
