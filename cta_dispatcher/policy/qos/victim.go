package qos

// ground is the reason why a tenant may lose thread blocks to a QoS tenant behind its goal:
// the conditions of QoS 3.6, in our order of preference.
type ground uint8

const (
	notAVictim ground = iota
	withoutGoal
	idleTBs
	margin
)

// victim is a tenant that might lose n of its thread blocks on an SM.
type victim struct {
	qos     bool
	n       int
	idle    int     // of its thread blocks on the SM, for lack of a free pipe
	threads int     // on the SM
	tbs     int     // N, its thread blocks on all SMs
	history float64 // thread instructions per cycle since its arrival
	goal    float64 // in thread instructions per cycle
}

// ground returns the tenant's ground.
func (c *victim) ground() ground {
	switch {
	case !c.qos:
		return withoutGoal
	case c.idle >= c.n+1:
		return idleTBs
	case c.tbs > 0 && c.left() > c.goal:
		return margin
	}
	return notAVictim
}

// left is its history without them, in proportion to thread blocks.
func (c *victim) left() float64 { return c.history * (1 - float64(c.n)/float64(c.tbs)) }

// before reports whether a tenant loses rather than another: the tenant without a goal with
// most threads on the SM, else the tenant with most idle thread blocks, else the tenant with
// the largest margin. Among equals neither does.
func (c *victim) before(o *victim) bool {
	g, other := c.ground(), o.ground()
	if g != other {
		return other == notAVictim || g != notAVictim && g < other
	}
	switch g {
	case withoutGoal:
		return c.threads > o.threads
	case idleTBs:
		return c.idle > o.idle
	}
	return g == margin && c.left()/c.goal > o.left()/o.goal
}

// wholeTBs converts idle warps, summed over an epoch's samples, into whole thread blocks (QoS
// 3.6).
func wholeTBs(idleWarps, samples uint64, warpsPerTB int) int {
	return int(idleWarps / (samples * uint64(warpsPerTB)))
}
