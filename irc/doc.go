// Package irc models an SM's issue-rate controller (CCBP 5.2, 6.1, 6.2). Packets from the L1 to the
// L2 wait in a virtual queue of their tenant. An arbiter sends one request a cycle, requests of
// latency-sensitive tenants first, and holds each tenant to the rate that a policy has set for an
// interval. Monitors count the figures from which policies compute rates.
//
// Tenants on the SM divide the entries of the queue. They also divide the entries of the store
// buffer, which bound the writes and atomics among the packets. A tenant that waits for credit
// fills only its own share, and the packets of other tenants pass.
//
// The controller takes the place of the SM's miss queue and is part of the SM, which tells it
// the cycle (Advance) and the tenants (Arrive, Leave). Intervals count cycles of the crossbars'
// clock, from 0, alike in all SMs. Only at that clock does the paper's interval of 200 cycles
// hold 40 replies of a line, five flits each (6.2).
//
// Where the paper is silent:
//   - Each tenant has an equal part of the store buffer, at least one entry. The paper
//     divides the miss queue alone; in one common buffer the stores of a tenant without
//     credit would take all entries, and no other tenant could store before the next credit.
//   - With more tenants than sub-queues each gets an equal part of the entries: the partition
//     vector, which assigns whole sub-queues, cannot serve them all.
//   - Shares change at once. A queue above its new share keeps its packets and takes no
//     more until it is below; until then the other queues do without these entries.
//   - Moving up through the sub-queues of a virtual queue takes no time.
//   - Any request except a write asks for data: here the packets of reductions come back
//     with a sector, like other atomics.
package irc
