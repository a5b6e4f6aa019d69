package policy

// Rehearsed is a policy that learns from a run of the same mix before the run: the same
// applications on the same GPU, which arrive when they do in the run, and start again
// when they end. A mix of one application is not rehearsed. Without a rehearsal it does
// what it can.
type Rehearsed interface {
	Policy
	// Rehearsal makes the policy of a rehearsal with so many tenants, which ends when
	// that has Settled, or after most core cycles. Nil: none is wanted.
	Rehearsal(tenants int) (p Rehearsing, most uint64)
	// Learn takes what the policy of the rehearsal has found out, which is of no use
	// to anybody else from then on. It comes before the first Decide.
	Learn(from Rehearsing, was Rehearsal)
}

// Rehearsing is the policy of a rehearsal.
type Rehearsing interface {
	Policy
	// Settled reports whether it has found out what there is to find out of what it
	// has seen.
	Settled() bool
}
