package contract

import (
	"fmt"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// steady is a GPU under a policy on which every thread block that finishes is
// replaced, and preempted ones have left by the next event.
type steady struct {
	*board
	policy  policy.Policy
	actions []func()
	finish  int // place of the next thread block to finish
}

// Preempt and the others make steady a policy.Actions.
func (s *steady) Preempt(tenant, sm, n int, _ policy.Mechanism) {
	s.SMs[sm].Leaving[tenant] += n
	s.actions = append(s.actions, func() {
		for range n {
			s.SMs[sm].Leaving[tenant]--
			s.board.finish(tenant, sm)
			s.Tenants[tenant].Waiting++
		}
		s.SMs[sm].Reserved = s.SMs[sm].Reserved && s.SMs[sm].Usage.TBs > 0
	})
}

func (s *steady) PreemptSM(sm int, m policy.Mechanism) {
	s.SMs[sm].Reserved = true
	for tenant := range s.Tenants {
		if n := s.SMs[sm].Staying(tenant); n > 0 {
			s.Preempt(tenant, sm, n, m)
		}
	}
}

func (*steady) Relocate(_, _, _ int, _ policy.Mechanism) {}
func (*steady) SetQuotas(int, []int)                     {}

func newSteady(t testing.TB, spec string, tenants int) *steady {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	var list []policy.Tenant
	for i := range tenants {
		kernel := tbs(1_000_000_000, 1000*(i+2))
		kernel.Demand.Threads = 64 * (tenants - i)
		kernel.Demand.Warps = 2 * (tenants - i)
		list = append(list, kernel)
	}
	s := &steady{board: newBoard(nil, maxwell, 16, list...), policy: p}
	for _, e := range []policy.Event{policy.KernelArrived, policy.Epoch, policy.TBFinished} {
		s.ask(e)
		for len(s.actions) > 0 {
			done := s.actions
			s.actions = nil
			for _, leave := range done {
				leave()
			}
			s.ask(policy.SMFreed)
		}
	}
	return s
}

func (s *steady) ask(e policy.Event) {
	s.Event = e
	s.policy.Decide(&s.View, s)
}

// next has one thread block finish somewhere and the policy decide.
func (s *steady) next() {
	for {
		s.finish++
		sm, tenant := s.finish%len(s.SMs), s.finish/len(s.SMs)%len(s.Tenants)
		if s.SMs[sm].Staying(tenant) > 0 {
			s.board.finish(tenant, sm)
			s.ask(policy.TBFinished)
			return
		}
	}
}

func TestNothingIsAllocatedWhenAThreadBlockFinishes(t *testing.T) {
	for _, d := range policy.All() {
		s := newSteady(t, d.Name, 4)
		require.Zero(t, testing.AllocsPerRun(200, s.next), d.Name)
	}
}

// BenchmarkThreadBlockFinishes is the time that a policy takes to replace a
// thread block on 16 SMs.
func BenchmarkThreadBlockFinishes(b *testing.B) {
	for _, d := range policy.All() {
		for _, tenants := range []int{2, 8} {
			b.Run(fmt.Sprintf("%s/%d", d.Name, tenants), func(b *testing.B) {
				s := newSteady(b, d.Name, tenants)
				b.ReportAllocs()
				for b.Loop() {
					s.next()
				}
			})
		}
	}
}
