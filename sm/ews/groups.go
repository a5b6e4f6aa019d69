package ews

// Groups divide a scheduler's warp slots in two. The scheduler considers one group at a
// time (HeteroCore 3.2, "Cycle time"): the first group until no warp in it is ready,
// then the second until no warp in it is. A switch takes a cycle, and happens only while
// both groups are used. The zero value is without slots: make one with NewGroups.
type Groups struct {
	first   uint64 // slots of the first group
	visible uint64 // slots of the group under consideration
}

// NewGroups makes two groups: the first has the given number of slots, 1 to MaxSlots-1,
// the second all slots above. The first group starts.
func NewGroups(slots int) Groups {
	first := uint64(1)<<slots - 1
	return Groups{first: first, visible: first}
}

// Visible are the slots of a mask that the scheduler considers at this edge.
func (g *Groups) Visible(slots uint64) uint64 { return slots & g.visible }

// Look ends an edge at which these slots were ready, whether or not their unit was
// free, and these have a warp: if none that is ready was visible, and the other group
// has a warp, that one is considered from the next edge on.
func (g *Groups) Look(ready, live uint64) {
	if ready&g.visible == 0 && live&^g.visible != 0 {
		g.visible = ^g.visible
	}
}

// Slept stands for a number of edges of Look without a ready slot; live are the slots
// with a warp. With warps in both groups the scheduler switches at each edge, with warps
// only in the other group at the first edge alone.
func (g *Groups) Slept(edges, live uint64) {
	if live&g.visible != 0 {
		edges &= 1
	}
	if edges > 0 {
		g.Look(0, live)
	}
}
