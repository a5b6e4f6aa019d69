package workload

import (
	"fmt"
	"slices"
	"strings"
)

// sms are the architectures of NVIDIA's SMs that machine code is made for:
// compute capability x 10 (PTX ISA 9.1, .target; CUDA 13 toolkit).
var sms = []int{10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89,
	90, 100, 101, 103, 110, 120, 121}

// IsSM reports whether there is an architecture of that number, such as 52.
func IsSM(number int) bool { return slices.Contains(sms, number) }

// SMs lists the numbers of the architectures from least on, for messages.
func SMs(least int) string {
	var list []string
	for _, n := range sms {
		if n >= least {
			list = append(list, fmt.Sprint(n))
		}
	}
	return strings.Join(list, ", ")
}

// PublishedArchs are the architectures for which published tables give the
// demands of kernels: SMK paper, Table 2 (gtx980), and Tanasic's thesis,
// Table 5.2 (k20c). Not every kernel is in both.
var PublishedArchs = []string{"gtx980", "k20c"}

// ChooseDemand returns the index of a kernel's demands for an architecture, by
// their names: the demands of that name, else the first, as published tables do
// not give every kernel for every GPU.
func ChooseDemand(named []string, arch string) int { return max(0, slices.Index(named, arch)) }

// CheckArch returns an error if an architecture is neither published nor named by
// an application's kernels; "" stands for the first of each.
func CheckArch(named []string, arch string) error {
	valid := append(slices.Clone(PublishedArchs), named...)
	slices.Sort(valid)
	valid = slices.DeleteFunc(slices.Compact(valid), func(name string) bool { return name == "" })
	if arch == "" || slices.Contains(valid, arch) {
		return nil
	}
	return fmt.Errorf("no demands are known for arch %q; valid: %s", arch, strings.Join(valid, ", "))
}
