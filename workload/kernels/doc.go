// Package kernels runs real CUDA kernels: PTX text together with a launch manifest, which
// describes a program's host side. It embeds fifty-five applications, written in CUDA C
// from the published algorithms (cuda/*.cu) with the decomposition into kernels and thread
// blocks that the literature reports, their PTX (ptx/*.ptx, made by compile.sh) and their
// manifests (manifests/*.yaml). Manifests of users have the same form.
//
//	Manifest  a checked manifest and its parsed PTX
//	Instance  one run of it: arrays in memory, filled by seeded generators, and
//	          the host program, which yields one launch after another, and tells
//	          a workload.Inspector what steps that look at arrays find
//
// The host program may read what kernels wrote, so Next must be called only
// when the launches before have been executed.
package kernels
