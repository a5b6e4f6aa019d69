package sweeppage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

// known is a stored run of some applications.
func known(policy string, cycles uint64, specs ...string) *sweep.Known {
	k := &sweep.Known{Spec: experiment.Spec{GPU: "smk16", Policy: policy, Apps: specs, Cycles: cycles, Seed: 1}, Program: "0123456789", Measured: sweep.Measured{ConfigHash: "hash", STP: 1.5}}
	for _, spec := range specs {
		name, _ := split(spec)
		k.Names = append(k.Names, name)
		k.Tenants = append(k.Tenants, sweep.KnownTenant{IPC: 50, NormalizedIPC: 0.5})
	}
	return k
}

func TestPointsAreMixesWithWhatTellsThemApart(t *testing.T) {
	alone := known("fcfs", 1000, "ptx:my.yaml")
	alone.Stalls = map[string]uint64{"issued": 1, "raw_long": 9}
	reached := true
	promised := known("qos", 1000, "sgemm?size=medium&qos=0.5", "lbm?size=medium")
	promised.Tenants[0].GoalIPC, promised.Tenants[0].GoalReached = 40, &reached
	list := Points([]*sweep.Known{
		promised,
		known("heterocore-static:goal=stp,ipcs=1+2/3+4", 1000, "sgemm?size=medium&qos=0.9", "ptx:my.yaml?priority=1"),
		known("fixed:ipcs=3", 2000, "sgemm?size=medium", "traceg:none"),
		alone,
	}, map[string]string{"hash": "run.html"})
	require.Len(t, list, 3, "those of two or more applications")
	assert.Equal(t, []string{"fixed", "heterocore-static:goal=stp", "qos"}, []string{list[0].Policy, list[1].Policy, list[2].Policy})
	assert.Equal(t, [][]string{{"sgemm", "traceg:none"}, {"sgemm?qos=0.9", "ptx:my.yaml"}, {"sgemm?qos=0.5", "lbm"}}, [][]string{list[0].Mix, list[1].Mix, list[2].Mix},
		"options that an application always has say nothing")
	assert.Equal(t, []string{"", "C+M", "C+M"}, []string{list[0].Class, list[1].Class, list[2].Class}, "of what runs alone, and of the table")
	assert.Equal(t, []string{"2000 cycles", "1000 cycles", "1000 cycles"}, []string{list[0].Setting, list[1].Setting, list[2].Setting})
	assert.Equal(t, []string{"cotenant", "run", "--gpu", "smk16", "--policy", "qos", "--app", "'sgemm?size=medium&qos=0.5'", "--app", "'lbm?size=medium'", "--cycles", "1000", "--seed", "1"}, list[2].Command)
	assert.Equal(t, 1.25, list[2].Metrics[OverGoal])
	assert.Equal(t, 1.5, list[2].Metrics[STP])
	assert.Equal(t, "run.html", list[0].Page)
	assert.Equal(t, "3 runs, 3 mixes, 3 policies, 1 GPU", Count(list))
}

func TestRunsOfTwoBuildsAreToldApart(t *testing.T) {
	a, b := known("spart", 0, "a", "b"), known("spart", 0, "a", "b")
	a.Until, b.Until, b.Program, b.IsolatedGPU = "done", "done", "fedcba9876", "fermi16"
	a.Pages = "demand"
	list := Points([]*sweep.Known{a, b}, nil)
	assert.Equal(t, []string{"alone on fermi16, build fedcba98", "pages demand, build 01234567"}, []string{list[0].Setting, list[1].Setting})
	assert.False(t, experiment.Figure(list[0].Metrics[OverGoal]).Defined())
	assert.Equal(t, "2 runs, 1 mix, 1 policy, 1 GPU", Count(list))
}
