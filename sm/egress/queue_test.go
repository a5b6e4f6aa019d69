package egress

import (
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

func TestFIFOShowsAPacketFromItsCycleOn(t *testing.T) {
	q := NewFIFO(4, 4)
	require.Nil(t, q.Front(1000))
	_, ok := q.Next(0)
	require.False(t, ok)
	first, second := &protocol.Packet{Addr: 1}, &protocol.Packet{Addr: 2}
	q.Push(first, 10)
	q.Push(second, 5) // behind the first, which leaves later
	require.Nil(t, q.Front(9))
	at, ok := q.Next(9)
	require.True(t, ok)
	require.Equal(t, uint64(10), at)
	require.Same(t, first, q.Front(10))
	_, ok = q.Next(10)
	require.False(t, ok, "time alone brings no other")
	q.Pop()
	require.Same(t, second, q.Front(10))
	require.Equal(t, 1, q.Len())
}

func TestFIFOBoundsPacketsAndThoseThatWrite(t *testing.T) {
	q := NewFIFO(3, 2)
	push := func(kind protocol.Kind) { q.Push(&protocol.Packet{Kind: kind}, 0) }
	rooms := func() [3]bool {
		return [3]bool{q.Room(protocol.Read, 0), q.Room(protocol.Write, 0), q.Room(protocol.Atomic, 0)}
	}
	require.Equal(t, [3]bool{true, true, true}, rooms())
	push(protocol.Write)
	require.Equal(t, [3]bool{true, true, true}, rooms())
	push(protocol.Atomic)
	require.Equal(t, [3]bool{true, false, false}, rooms(), "two that write")
	push(protocol.Read)
	require.Equal(t, [3]bool{}, rooms(), "three in all")
	q.Pop()
	require.Equal(t, [3]bool{true, true, true}, rooms())
	q.Pop()
	q.Pop()
	require.Zero(t, q.Len())
	push(protocol.Read)
	push(protocol.Read)
	require.Equal(t, [3]bool{true, true, true}, rooms(), "reads are no writes")
}
