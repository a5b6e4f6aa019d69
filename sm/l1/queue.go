package l1

import "cotenant/sm/egress"

// MissQueue holds the packets on their way from the L1 to the request crossbar.
type MissQueue = egress.Queue
