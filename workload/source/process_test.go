package source

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tenant"
)

func TestOptionsOfTheProcessAreTakenOffEverySource(t *testing.T) {
	for _, c := range []struct {
		spec, app string
		want      tenant.Attributes
	}{
		{"sgemm", "sgemm", tenant.Attributes{}},
		{"sgemm?size=tiny", "sgemm?size=tiny", tenant.Attributes{}},
		{"sgemm?arrival=20us", "sgemm", tenant.Attributes{Arrival: tenant.Moment{Time: 20 * time.Microsecond}}},
		{"sgemm?size=tiny&arrival=1.5ms&arch=k20c&priority=-3", "sgemm?size=tiny&arch=k20c", tenant.Attributes{Arrival: tenant.Moment{Time: 1500 * time.Microsecond}, Priority: -3}},
		{"profile:lbm?priority=2&arrival=500ns", "profile:lbm", tenant.Attributes{Arrival: tenant.Moment{Time: 500}, Priority: 2}},
		{"ptx:a.yaml?arrival=200k", "ptx:a.yaml", tenant.Attributes{Arrival: tenant.Moment{Cycles: 200_000}}},
		{"profile:a.yaml?arrival=7", "profile:a.yaml", tenant.Attributes{Arrival: tenant.Moment{Cycles: 7}}},
		{"traceg:dir?arrival=2M&priority=0", "traceg:dir", tenant.Attributes{Arrival: tenant.Moment{Cycles: 2_000_000}}},
		{"traceg:a?b?arrival=0", "traceg:a?b", tenant.Attributes{}},
		{"sgemm?size=tiny&qos=0.8", "sgemm?size=tiny", tenant.Attributes{QoS: 0.8}},
		{"traceg:dir?qos=1&priority=2", "traceg:dir", tenant.Attributes{QoS: 1, Priority: 2}},
		{"profile:lbm?qos_time=1.5us", "profile:lbm", tenant.Attributes{QoSTime: 1500}},
	} {
		app, p, err := Split(c.spec)
		require.NoError(t, err, c.spec)
		assert.Equal(t, c.app, app)
		assert.Equal(t, c.want, p, c.spec)
	}
}

func TestQuestionMarkInAPathOfATraceIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x?priority=1")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for spec, priority := range map[string]int{"traceg:" + folder: 0, "traceg:" + folder + "?priority=2": 2} {
		app, p, err := Split(spec)
		require.NoError(t, err)
		assert.Equal(t, "traceg:"+folder, app)
		assert.Equal(t, priority, p.Priority)
	}
}

func TestFaultsInOptionsOfTheProcessSayWhatIsValid(t *testing.T) {
	const moment = "a time in ns, us or ms, or whole core cycles, from 0 to 1000000000000 cycles; such as 20us or 200k"
	for spec, want := range map[string]string{
		"sgemm?arrival=soon":           `application "sgemm?arrival=soon": invalid option "arrival=soon"; valid: ` + moment,
		"sgemm?arrival=-1us":           `application "sgemm?arrival=-1us": invalid option "arrival=-1us"; valid: ` + moment,
		"sgemm?arrival=NaNus":          `application "sgemm?arrival=NaNus": invalid option "arrival=NaNus"; valid: ` + moment,
		"sgemm?arrival=1000001M":       `application "sgemm?arrival=1000001M": invalid option "arrival=1000001M"; valid: ` + moment,
		"sgemm?arrival=1.5":            `application "sgemm?arrival=1.5": invalid option "arrival=1.5"; valid: ` + moment,
		"sgemm?priority=high":          `application "sgemm?priority=high": invalid option "priority=high"; valid: a whole number from -1000000 to 1000000`,
		"sgemm?size=tiny&priority=1e9": `application "sgemm?size=tiny&priority=1e9": invalid option "priority=1e9"; valid: a whole number from -1000000 to 1000000`,
		"traceg:nowhere?size=tiny":     `application "traceg:nowhere?size=tiny": invalid option "size=tiny"; valid: ` + usage(),
	} {
		_, _, err := Split(spec)
		require.EqualError(t, err, want)
	}
	for _, spec := range []string{"sgemm?arrival=", "sgemm?arrival", "sgemm?", "sgemm?arrival=3&", "traceg:nowhere?=3"} {
		_, _, err := Split(spec)
		require.ErrorContains(t, err, `application "`+spec+`": invalid option "`)
		require.ErrorContains(t, err, usage())
	}
	_, err := Open("sgemm?arival=3", Options{})
	require.EqualError(t, err, `application "sgemm?arival=3": invalid option "arival=3"; valid: size=SIZE (tiny, small, medium), arch=ARCH, set=NAME:NUMBER,..., lower=-RULE,... (all, params, moves, addresses, wide, div, modifiers, merge, order, branches, registers), `+usage())
}

func TestFaultsInGoalsSayWhatIsValid(t *testing.T) {
	const (
		part = "a part of the tenant's isolated IPC, above 0 (1e-9 or more) and at most 1, such as 0.8"
		span = "a time above 0 with its unit, ns, us or ms, at most an hour, such as 2ms"
		two  = "qos or qos_time, not both: a tenant has one goal"
	)
	for option, want := range map[string]string{
		"qos=80": part + "; 80 % is 0.8", "qos=80%": part + "; 80 % is 0.8", "qos=1.5": part + "; 1.5 % is 0.015", "qos=100": part + "; 100 % is 1",
		"qos=0": part, "qos=-0.5": part, "qos=NaN": part, "qos=Inf": part, "qos=101": part, "qos=0.5%": part, "qos=much": part, "qos=1e-10": part, "qos=1e-400": part,
		"qos_time=0ms": span, "qos_time=-1us": span, "qos_time=NaNms": span, "qos_time=Infms": span, "qos_time=2": span, "qos_time=2s": span,
		"qos_time=ms": span, "qos_time=0.4ns": span, "qos_time=3600001ms": span,
	} {
		_, _, err := Split("sgemm?" + option)
		require.EqualError(t, err, `application "sgemm?`+option+`": invalid option "`+option+`"; valid: `+want)
	}
	for spec, blamed := range map[string]string{"sgemm?qos=0.8&qos_time=2ms": "qos_time=2ms", "sgemm?qos_time=2ms&qos=0.8": "qos=0.8"} {
		_, _, err := Split(spec)
		require.EqualError(t, err, `application "`+spec+`": invalid option "`+blamed+`"; valid: `+two)
	}
	for _, option := range []string{"qos=", "qos", "qos_time="} {
		_, _, err := Split("sgemm?" + option)
		require.ErrorContains(t, err, `invalid option "`+option+`"; valid: `)
	}
}

func TestTheLargestGoalsAreValid(t *testing.T) {
	for option, want := range map[string]tenant.Attributes{"qos=1": {QoS: 1}, "qos=1e-9": {QoS: 1e-9}, "qos_time=1ns": {QoSTime: 1}, "qos_time=3600000ms": {QoSTime: time.Hour}} {
		_, a, err := Split("sgemm?" + option)
		require.NoError(t, err)
		assert.Equal(t, want, a)
		assert.True(t, a.HasGoal())
	}
	assert.False(t, (&tenant.Attributes{Priority: 1}).HasGoal())
}

func TestAnOptionIsGivenOnce(t *testing.T) {
	for spec, key := range map[string]string{
		"sgemm?size=tiny&size=small":            "size",
		"sgemm?arrival=4&arrival=5":             "arrival",
		"sgemm?priority=4&size=tiny&priority=4": "priority",
		"sgemm?lower=-div&lower=-wide":          "lower",
		"ptx:a.yaml?set=n:4&set=k:5":            "set",
		"profile:sgemm?arch=k20c&arch=gtx980":   "arch",
		"traceg:nowhere?priority=1&priority=2":  "priority",
	} {
		_, _, err := Split(spec)
		require.EqualError(t, err, `application "`+spec+`": option `+key+` is given twice; once is enough`)
	}
	_, err := Open("sgemm?size=tiny&set=n:16,k:8,n:32", Options{})
	require.EqualError(t, err, `application "sgemm?size=tiny&set=n:16,k:8,n:32": set: option n is given twice; once is enough`)
}
