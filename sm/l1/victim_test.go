package l1

import (
	"fmt"
	"strings"
	"testing"

	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// set makes a set of cache lines: each is 'e' if it is empty, or its tenant's
// digit, behind which '!' says that it is pinned. The least recently used comes
// first.
func set(ways string) cache.Set {
	tags := cache.NewTags(1, len(strings.ReplaceAll(ways, "!", "")), cache.Index{})
	s := tags.Set(0)
	way := -1
	for i, c := range ways {
		switch c {
		case '!':
			tags.Pin(way)
		default:
			if way++; c != 'e' {
				tags.Take(s, way, uint64(i)*protocol.LineBytes, tenant.Account(c-'0'))
			}
		}
	}
	return s
}

func TestLRUPicksTheLeastRecentlyUsedThatIsNotPinned(t *testing.T) {
	for ways, want := range map[string]int{"0121": 0, "0!121": 1, "01e1": 2, "0!1!2!1!": cache.None, "0!1!e!2": 3} {
		require.Equal(t, want, leastRecent(set(ways)), ways)
	}
}

// notes is a rule that picks the last way, and writes down what it is told.
type notes struct{ told []string }

func (n *notes) Pick(set cache.Set, _ tenant.ID) int { return set.Ways() - 1 }
func (n *notes) Hit(_ cache.Set, way int, by *Use)   { n.note("hit", way, *by) }
func (n *notes) Filled(set cache.Set, way int, by *Use) {
	n.note("fill", way, set.Owner(way), *by)
}
func (n *notes) Evicted(set cache.Set, way int) { n.note("evict", way, set.Owner(way)) }
func (n *notes) note(words ...any)              { n.told = append(n.told, fmt.Sprintln(words...)) }

func TestVictimHearsOfHitsFillsAndEvictedWays(t *testing.T) {
	for _, onFill := range []bool{false, true} {
		rule := &notes{}
		spec := Spec{Sets: 1, Ways: 2, AllocateOnFill: onFill, HitLatency: 30, MissLatency: 1, MSHRs: 4, MSHRMerge: 2, Globals: "cached", Sectored: true}
		var sent []*protocol.Packet
		queue := egress.NewFIFO(8, 8)
		c := New(spec, Parts{Slice: func(uint64) int { return 0 }, Packets: &components.Pool[protocol.Packet]{}, Waiter: &ucp{}, Queue: queue, Victim: rule})
		load := func(id tenant.ID, line uint64, sectors uint8, pc uint32) {
			c.Access(&Request{Account: id.Account(0), Class: workload.Load, PC: pc}, &Access{Line: line * protocol.LineBytes, Sectors: sectors}, 1)
			for p := queue.Front(9); p != nil; p = queue.Front(9) {
				queue.Pop()
				sent = append(sent, p)
			}
		}
		reply := func() {
			for _, p := range sent {
				p.Kind = protocol.ReadReply
				c.Reply(p, 9)
			}
			sent = nil
		}
		load(0, 3, 1, 16)
		load(1, 3, 1, 32) // joins the miss: neither hit nor fill
		reply()
		load(1, 3, 1, 48)
		load(0, 3, 2, 64) // the line is there, the sector is not: neither
		reply()
		load(1, 4, 1, 80)
		reply()
		c.Invalidate(1)
		load(0, 5, 1, 96) // in an empty way
		reply()
		require.Equal(t, []string{"fill 1 0 {384 16 0 false}\n", "hit 1 {384 48 1 false}\n", "evict 1 0\n", "fill 1 1 {512 80 1 false}\n",
			"fill 1 0 {640 96 0 false}\n"}, rule.told, "on fill: %v", onFill)
	}
}

func TestVictimHearsOfALineThatAPrefetchBrings(t *testing.T) {
	for _, onFill := range []bool{false, true} {
		rule := &notes{}
		spec := prefetchSpec()
		spec.Ways, spec.AllocateOnFill = 4, onFill
		queue := egress.NewFIFO(8, 8)
		prefetcher, err := NewPrefetcher(PrefetchSpec{Kind: "next-line", Degree: 1})
		require.NoError(t, err)
		c := New(spec, Parts{Slice: func(uint64) int { return 0 }, Packets: &components.Pool[protocol.Packet]{}, Waiter: &ucp{}, Queue: queue,
			Victim: rule, Prefetcher: prefetcher})
		c.Access(&Request{Class: workload.Load, PC: 16}, &Access{Sectors: 1}, 1)
		for p := queue.Front(1 << 20); p != nil; p = queue.Front(1 << 20) {
			queue.Pop()
			p.Kind = protocol.ReadReply
			c.Reply(p, 1<<20)
		}
		require.Equal(t, []string{"fill 3 0 {0 16 0 false}\n", "fill 3 0 {128 16 0 true}\n"}, rule.told)
	}
}
