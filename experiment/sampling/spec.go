package sampling

import "fmt"

// Spec holds the parameters of sampling.
type Spec struct {
	// Spread is the largest coefficient of variation of a count within a cluster, above 0.
	// Sieve splits a stratum above 0.4 by default. Launches of different lengths differ in
	// cycles per instruction too, so Default takes less.
	Spread float64
	// Representatives is the number of simulated launches of a cluster, from 2, which
	// give an error bound, to 10. A smaller cluster is simulated whole.
	Representatives int
	// WarmUps is the number of launches that are simulated before each representative,
	// 1 to 10. From the last of them follows the part of the bound for the state of the
	// caches.
	WarmUps int
	// Most is the largest share of the application's warp instructions that may be
	// simulated, above 0 and up to 1. NewPlan refuses an application that takes more.
	Most float64
}

// Default is the Spec of the command.
var Default = Spec{Spread: 0.1, Representatives: 3, WarmUps: 2, Most: 0.5}

// Limits of Spec.
const (
	mostRepresentatives = 10
	mostWarmUps         = 10
)

// Validate returns an error that names the field that is out of range.
func (s *Spec) Validate() error {
	switch {
	case !(s.Spread > 0):
		return fmt.Errorf("sampling.Spec.Spread is %g; valid: above 0", s.Spread)
	case s.Representatives < 2 || s.Representatives > mostRepresentatives:
		return fmt.Errorf("sampling.Spec.Representatives is %d; valid: 2 to %d", s.Representatives, mostRepresentatives)
	case s.WarmUps < 1 || s.WarmUps > mostWarmUps:
		return fmt.Errorf("sampling.Spec.WarmUps is %d; valid: 1 to %d", s.WarmUps, mostWarmUps)
	case !(s.Most > 0 && s.Most <= 1):
		return fmt.Errorf("sampling.Spec.Most is %g; valid: above 0, to 1", s.Most)
	}
	return nil
}
