package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClientsThatMPSRefusesAreToldInALine(t *testing.T) {
	for _, c := range []struct {
		gpu, app string
		status   int
		want     string
	}{
		{"a100-1g?driver.mps_clients=1", "sgemm?size=tiny", exitFailure, "the policy does not go with this GPU: 2 applications; valid: at most 1 clients, driver.mps_clients of the GPU"},
		{"a100-1g", "sgemm?size=tiny&memory_limit=1KiB", exitUsage, `application "sgemm?size=tiny&memory_limit=1KiB": tenant 1 asks for 31744 bytes of memory for 3 arrays; valid: at most 1024 bytes, its memory_limit of 1KiB`},
	} {
		got := cotenant(t, "run", "--gpu", c.gpu, "--policy", "mps", "--app", "spmv?size=tiny", "--app", c.app, "--cycles", "1k")
		assert.Equal(t, c.status, got.status)
		assert.Equal(t, "cotenant: "+c.want+"\n", got.stderr)
	}
}
