package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// followedPart is a slice of a load in a timeline.
type followedPart struct {
	Phase    string `json:"ph"`
	Category string `json:"cat"`
	Name     string
	Args     struct {
		Cycle, Cycles, Request uint64
		ServedBy               string `json:"served_by"`
	}
}

// The parts of each load join to its whole time, on GPUs whose requests go different ways, and
// following loads changes nothing of the result.
func TestTimelineFollowsLoads(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		served []string // places that serve some load
	}{
		"L1 that keeps nothing": {[]string{"--gpu", "gtx980", "--app", "profile:spmv", "--app", "profile:lbm", "--policy", "even", "--cycles", "30k", "--isolated", "1,1"}, []string{"L2", "DRAM"}},
		"rate controllers":      {[]string{"--gpu", "ccbp16?sm.irc.sub_queues=4", "--app", "profile:spmv", "--app", "profile:sgemm", "--policy", "ccbp", "--cycles", "10k", "--isolated", "1,1"}, []string{"L1", "DRAM"}},
		"halves":                {[]string{"--gpu", "plain16?topology=halves", "--app", "profile:spmv", "--cycles", "10k"}, []string{"L2", "DRAM"}},
		"page faults":           {[]string{"--gpu", "pagefault16", "--app", "sgemm?size=tiny", "--pages", "demand", "--cycles", "30k"}, []string{"DRAM"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			run := func(result string, more ...string) string {
				path := filepath.Join(folder, result)
				args := append([]string{"run", "--quiet", "--json", path}, test.args...)
				got := cotenant(t, append(args, more...)...)
				require.Zero(t, got.status, got.stderr)
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				return regexp.MustCompile(`"[a-z_]*wall_[a-z_]*": [^,\n]*`).ReplaceAllString(string(text), "")
			}
			path := filepath.Join(folder, "t.json")
			require.Equal(t, run("plain.json"), run("followed.json", "--timeline", path, "--timeline-requests", "500"))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var file struct{ TraceEvents []followedPart }
			require.NoError(t, json.Unmarshal(text, &file))
			loads, ends, served := 0, map[uint64]uint64{}, map[string]int{}
			for _, e := range file.TraceEvents {
				if e.Phase != "X" || e.Category != "request" {
					continue
				}
				if end, seen := ends[e.Args.Request]; seen {
					require.Equal(t, end, e.Args.Cycle, "%s of load %d begins where the part before ends", e.Name, e.Args.Request)
				} else {
					require.Equal(t, "load-store unit", e.Name)
					served[e.Args.ServedBy]++
					loads++
				}
				ends[e.Args.Request] = e.Args.Cycle + e.Args.Cycles
			}
			require.Greater(t, loads, 10)
			for _, place := range test.served {
				require.NotZero(t, served[place], "%s: %v", place, served)
			}
		})
	}
}

func TestTimelineRequestsNeedATimeline(t *testing.T) {
	got := cotenant(t, "run", "--app", "profile:lbm", "--timeline-requests", "100")
	require.Equal(t, 2, got.status)
	require.Contains(t, got.stderr, "--timeline-requests is for --timeline; valid: both")
}
