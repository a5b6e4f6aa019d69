package blocks

import "strconv"

// Joint is a kind of link between two modules of a GPU at which blocks can be
// put. Where there are several, a block goes into each of them.
//
// A joint with a reply direction carries messages both ways, and so must a block at it:
// what comes in by Up goes out by Down, and the other way round. At all other joints
// nothing comes in by Down.
type Joint int

// The joints, each from the side of Up to that of Down.
const (
	// SMToRequestNoC is the way of *protocol.Packet from an SM, and from its
	// preemption engine, to the request crossbar: a link for each SM.
	SMToRequestNoC Joint = iota
	// RequestNoCToSlice is that from the request crossbar to an L2 slice.
	RequestNoCToSlice
	// SliceToChannel is that of *protocol.DRAMRequest from an L2 slice to its DRAM
	// channel, and back again as the reply: a link for each slice, both ways.
	SliceToChannel
	// SliceToReplyNoC is the way of *protocol.Packet from an L2 slice to the
	// reply crossbar.
	SliceToReplyNoC
	// ReplyNoCToSM is that from the reply crossbar to an SM.
	ReplyNoCToSM

	joints
)

var jointNames = [joints]string{"SM to request crossbar", "request crossbar to L2 slice", "L2 slice to DRAM channel",
	"L2 slice to reply crossbar", "reply crossbar to SM"}

// String says between which modules the joint is.
func (j Joint) String() string {
	if j < 0 || j >= joints {
		return "joint " + strconv.Itoa(int(j))
	}
	return jointNames[j]
}
