package workload

import (
	"fmt"
	"slices"
	"strings"
)

// PublishedArchs are the architectures for which published tables give the
// demands of kernels: SMK paper, Table 2 (gtx980), and Tanasic's thesis,
// Table 5.2 (k20c). Not every kernel is in both.
var PublishedArchs = []string{"gtx980", "k20c"}

// ChooseDemand returns the index of a kernel's demands for an architecture, of
// which named has the names: the one of that name, else the first, as published
// tables do not give every kernel for every GPU.
func ChooseDemand(named []string, arch string) int { return max(0, slices.Index(named, arch)) }

// CheckArch returns an error if an architecture is neither published nor one of
// those that an application's kernels name; "" stands for the first of each.
func CheckArch(named []string, arch string) error {
	valid := append(slices.Clone(PublishedArchs), named...)
	slices.Sort(valid)
	valid = slices.DeleteFunc(slices.Compact(valid), func(name string) bool { return name == "" })
	if arch == "" || slices.Contains(valid, arch) {
		return nil
	}
	return fmt.Errorf("no demands are known for arch %q; valid: %s", arch, strings.Join(valid, ", "))
}
