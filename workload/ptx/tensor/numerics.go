package tensor

import "cotenant/workload"

// Numerics says how the tensor cores of an architecture round. Independent bit-accurate models
// agree on it (microsoft/MMA-Sim, arXiv 2511.10909; MATLAB-tensor-core of the NLA group; Fasi,
// Higham, Mikaitis and Pranesh, PeerJ CS 7:e330, 2021).
//
// One step adds a few products to the accumulator. Products are exact. All terms are cut off,
// toward zero, some bits below the greatest exponent among them, where the exponent of a
// product is the sum of its operands' exponents; then they are added exactly. The sum is
// cut to f32, or rounded to the nearest f16.
type Numerics = workload.Numerics

// The architectures. Ampere is the default.
const (
	Ampere        = workload.Ampere
	Volta         = workload.Volta
	Turing        = workload.Turing
	Ada           = workload.Ada
	Hopper        = workload.Hopper
	architectures = workload.NumNumerics
)

// rule is how one step goes: how many products it takes, how many bits below the greatest
// exponent are kept, and how many fraction bits the result has in f32.
type rule struct{ step, kept, fraction int }

// ruleOf is the rule for elements of a type. A type that the architecture lacks has the rule of
// the first one with it.
func ruleOf(n Numerics, t Type) rule {
	r := rule{8, 24, 23}
	switch n {
	case Volta:
		r = rule{4, 23, 23}
	case Hopper:
		r = rule{16, 25, 23}
	}
	if n < Hopper && t != F16 {
		r = rule{8, 24, 23}
	}
	switch {
	case t == TF32:
		r.step /= 2
	case (t == E4M3 || t == E5M2) && n == Hopper:
		r = rule{32, 13, 13}
	case t == E4M3 || t == E5M2:
		r = rule{16, 13, 13}
	}
	return r
}
