package conservation

import (
	"fmt"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	_ "cotenant/platform/blocks/all"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"

	"github.com/stretchr/testify/require"
)

// mix is a run as the command line of `cotenant run` has it.
type mix struct {
	gpu, policy string
	apps        []string
	pages       string
	cycles      uint64 // 0: to the end
	replays     uint64 // of a run to the end; 0: each application once
	maxCycles   uint64 // of a run to the end
	seed        uint64 // of profiles
}

// alone is what each application is said to achieve alone, so that it is not
// measured: IPC, turnaround, WIPC, and thread instructions of a run.
const alone = "100@20000:0.5#500000"

// arguments are the arguments of `cotenant run`.
func (m *mix) arguments() []string {
	list := []string{"--gpu", m.gpu, "--policy", m.policy}
	for _, app := range m.apps {
		list = append(list, "--app", app)
	}
	if m.pages != "" {
		list = append(list, "--pages", m.pages)
	}
	switch {
	case m.cycles > 0:
		list = append(list, "--cycles", fmt.Sprint(m.cycles))
	case m.replays > 0:
		list = append(list, "--until", fmt.Sprint("replays=", m.replays))
	default:
		list = append(list, "--until", "done")
	}
	if m.cycles == 0 {
		list = append(list, "--max-cycles", fmt.Sprint(m.maxCycles))
	}
	isolated := strings.TrimSuffix(strings.Repeat(alone+",", len(m.apps)), ",")
	return append(list, "--seed", fmt.Sprint(m.seed), "--isolated", isolated, "--cache", "off")
}

// command is the command line of the run.
func (m *mix) command() string {
	line := "go run ./platform run"
	for _, a := range m.arguments() {
		if strings.ContainsAny(a, "?&#") {
			a = "'" + a + "'"
		}
		line += " " + a
	}
	return line
}

// open makes the run of the arguments, or says why it is refused. With a store,
// applications are recorded there, and replayed.
func (m *mix) open(cache *streamcache.Store) (*experiment.Run, error) {
	gpu, err := presets.Load(m.gpu)
	if err != nil {
		return nil, err
	}
	if _, err := policy.Parse(m.policy); err != nil {
		return nil, err
	}
	r := &experiment.Run{Spec: experiment.Spec{Policy: m.policy, Cycles: m.cycles, Until: experiment.Until(m.replays), MaxCycles: m.maxCycles, Seed: m.seed, Parameters: experiment.Parameters{Pages: wiring.PageMode(m.pages)}}, GPU: gpu}
	for _, spec := range m.apps {
		app, err := experiment.Open(spec, source.Options{Seed: m.seed, Cache: cache})
		if err != nil {
			return nil, err
		}
		isolated, err := experiment.ParseIsolated(alone)
		if err != nil {
			return nil, err
		}
		r.Apps, r.Isolated = append(r.Apps, app), append(r.Isolated, isolated)
	}
	return r, r.Check()
}

func TestCommandNamesTheRun(t *testing.T) {
	m := mix{gpu: "gtx980?sms=2", policy: "even", apps: []string{"sgemm?size=tiny", "profile:lbm"}, cycles: 500, seed: 3}
	require.Equal(t, "go run ./platform run --gpu 'gtx980?sms=2' --policy even --app 'sgemm?size=tiny' --app profile:lbm"+
		" --cycles 500 --seed 3 --isolated '100@20000:0.5#500000,100@20000:0.5#500000' --cache off", m.command())
	m = mix{gpu: "pagefault16", policy: "fcfs", apps: []string{"lbm"}, pages: "demand", maxCycles: 1000}
	require.Equal(t, "go run ./platform run --gpu pagefault16 --policy fcfs --app lbm --pages demand"+
		" --until done --max-cycles 1000 --seed 0 --isolated '100@20000:0.5#500000' --cache off", m.command())
}
