package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFittedProfileRuns(t *testing.T) {
	metrics := strings.TrimSpace(cotenant(t, "fit", "--metrics").stdout)
	names := strings.Split(metrics, ",")
	assert.Contains(t, names, "smsp__inst_executed.sum")
	values := map[string]string{"launch__registers_per_thread": "24", "smsp__inst_executed.sum": "51,200", "smsp__thread_inst_executed.sum": "1638400",
		"smsp__inst_executed_op_global_ld.sum": "5120", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "20480"}
	head, units, row := `"ID","Kernel Name","Block Size","Grid Size"`, `"","","",""`, `"0","axpy(float *)","(128, 1, 1)","(64, 1, 1)"`
	for _, name := range names {
		value := values[name]
		if value == "" {
			value = "0"
		}
		head, units, row = head+`,"`+name+`"`, units+`,""`, row+`,"`+value+`"`
	}
	report := file(t, "axpy.csv", "==PROF== Connected\n"+head+"\n"+units+"\n"+row+"\n")
	profile := filepath.Join(t.TempDir(), "axpy.yaml")
	got := cotenant(t, "fit", report, "-o", profile)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "not fitted: how soon results are used")
	assert.Contains(t, read(t, profile), "name: axpy\nkernels:\n  - name: axpy\n    tbs: 64\n")
	run := cotenant(t, "run", "--app", "profile:"+profile, "--gpu", "gtx980?sms=2", "--until", "done", "--json", "-", "--quiet")
	require.Equal(t, 0, run.status, run.stderr)
	assert.Equal(t, uint64(51_200), result(t, run.stdout).WarpInstructions)

	got = cotenant(t, "fit")
	assert.Equal(t, exitUsage, got.status)
	got = cotenant(t, "fit", report, "--metrics")
	assert.Equal(t, exitUsage, got.status)
	got = cotenant(t, "fit", profile)
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, "axpy.yaml: no row begins with")
	for path, want := range map[string]string{"none.csv": "none.csv: no such file", ".": ".: is a directory"} {
		for command, valid := range map[string]string{"fit": "give the output of ncu", "query": "give a store or a result"} {
			got = cotenant(t, command, path)
			assert.Equal(t, exitFailure, got.status)
			assert.Contains(t, got.stderr, "cotenant: "+want)
			assert.Contains(t, got.stderr, valid)
		}
	}
}
