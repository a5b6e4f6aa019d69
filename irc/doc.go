// Package irc is an SM's issue-rate controller (CCBP 5.2, 6.1, 6.2): what leaves the
// L1 for the L2 waits in a virtual queue of its tenant, and an arbiter sends one
// request a cycle, of latency-sensitive tenants first and of no tenant more in an
// interval than the rate that a policy has given it. Monitors count what policies
// reckon rates by.
//
// Tenants on the SM divide the entries of the queue, and those of the store buffer, which
// bound the writes and atomics among the packets. A tenant that waits for credit fills its
// own share, and the others' packets pass.
//
// It stands in the place of the SM's miss queue and is part of the SM, which tells
// it the cycle (Advance) and which tenants are there (Arrive, Leave). Intervals are
// counted in cycles of the crossbars' clock, from 0, alike in all SMs: at the rate of
// the crossbars alone 40 replies of a line fit into one (6.2).
//
// Where the paper is silent:
//   - Of the store buffer each tenant has an equal part, at least one entry. The paper
//     divides the miss queue alone; stores of a tenant without credit would take all of
//     one common buffer, and nobody else could store until an interval to come.
//   - With more tenants than sub-queues each gets an equal part of the entries. The
//     partition vector has no room for them.
//   - Shares change at once. A queue that is above its new one keeps what it has and
//     takes nothing until it is below, and what it holds of others' entries they do
//     not have until then.
//   - Moving up through the sub-queues of a virtual queue takes no time.
//   - A request that asks for data is any but a write: the packets of reductions
//     come back with a sector here, as those of other atomics.
package irc
