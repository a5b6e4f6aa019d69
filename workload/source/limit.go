package source

import (
	"fmt"
	"strings"

	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/profile"
)

// memoryLimit is the option that bounds the device memory of an application, like NVIDIA's
// CUDA_MPS_PINNED_DEVICE_MEM_LIMIT. It holds for the application alone, too.
const memoryLimit = "memory_limit"

// cutLimit takes memory_limit off an application; 0 bytes: there is none.
func cutLimit(spec string) (rest string, limit profile.Bytes, err error) {
	text, query, ok := cutOptions(spec)
	if !ok || !strings.Contains(query, memoryLimit) {
		return spec, 0, nil
	}
	s := syntax(spec)
	given, err := s.Parse(query)
	if err != nil {
		return "", 0, fmt.Errorf("application %q: %w", spec, err)
	}
	var others []string
	for _, o := range given {
		if o.Key != memoryLimit {
			others = append(others, s.Text(o))
			continue
		}
		if err := limit.UnmarshalText([]byte(o.Value)); err != nil || limit <= 0 {
			return "", 0, fmt.Errorf("application %q: invalid option %q; valid: a number of bytes above 0, such as 65536, 64KiB or 2MiB", spec, s.Text(o))
		}
	}
	if len(others) > 0 {
		text += "?" + strings.Join(others, "&")
	}
	return text, limit, nil
}

// checkLimit returns an error if an application that names its arrays beforehand has more of
// them than its limit allows. The arrays count with their margins. A CUDA program
// allocates while it runs; its calls are refused then.
func checkLimit(spec string, app *workload.App, limit profile.Bytes, o Options) error {
	if limit == 0 || IsProgram(spec) {
		return nil
	}
	if len(app.Arrays) == 0 {
		return fmt.Errorf("application %q: %s, and the source does not tell what it allocates; valid: applications of real kernels, traces that copy, and CUDA programs", spec, memoryLimit)
	}
	var asked uint64
	for i := range app.Arrays {
		asked += app.Arrays[i].Bytes
	}
	if asked > uint64(limit) {
		return fmt.Errorf("application %q: tenant %d asks for %d bytes of memory for %s; valid: at most %d bytes, its %s of %v",
			spec, o.Tenant, asked, workload.Count(len(app.Arrays), "array"), int64(limit), memoryLimit, limit)
	}
	return nil
}

// usage lists the options of every application, for messages.
func usage() string { return memoryLimit + "=SIZE (such as 512MiB), " + tenant.Usage() }
