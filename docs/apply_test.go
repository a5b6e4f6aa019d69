package docs

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seams are the guides to the parts of a GPU that are chosen by name.
var seams = []string{"adding-a-block.md", "adding-a-dram-scheduler.md", "adding-a-prefetcher.md", "adding-a-replacement-rule.md",
	"adding-a-replay-scheme.md", "adding-a-warp-scheduler.md", "adding-an-execution-unit.md", "adding-an-l2-topology.md"}

// overlay writes the tree with all changes of guides for the go command's -overlay:
// new files there, and changed lines of diffs.
func overlay(t *testing.T, guides ...string) string {
	t.Helper()
	folder := t.TempDir()
	replace := map[string]string{} // path in the tree: path of the changed text
	var list []quote
	for _, guide := range guides {
		list = append(list, quotes(read(t, guide))...)
	}
	for _, q := range list {
		path, err := filepath.Abs(filepath.Join(root, q.file))
		require.NoError(t, err)
		text := q.text
		if !q.fresh {
			if q.kind != "diff" {
				continue
			}
			if replace[path] == "" {
				text = read(t, path)
			} else {
				text = read(t, replace[path])
			}
			before := side(q.text, "+")
			require.Equal(t, 1, strings.Count(text, before), "%v change lines that %s does not have once:\n%s", guides, q.file, before)
			text = strings.Replace(text, before, side(q.text, "-"), 1)
		}
		changed := filepath.Join(folder, strings.ReplaceAll(q.file, "/", "_"))
		require.NoError(t, os.WriteFile(changed, []byte(text), 0o600))
		replace[path] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(folder, "overlay.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// noDebugging leaves data for debuggers out, which take half of the linker's time.
const noDebugging = "-ldflags=-w"

// command runs a program in the tree and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = root
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, "%s %s\n%s%s", name, strings.Join(args, " "), out, &stderr)
	return string(out)
}

// The changes of the guides are complete, and the tree with all of them does what the guides say.
// It is built once: most of the tree depends on what the guides change.
func TestGuidesDoWhatTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	changes := overlay(t, append(seams, "writing-a-policy.md", "adding-a-figure.md", "sweeps.md")...)
	program := filepath.Join(t.TempDir(), "cotenant")
	command(t, "go", "build", "-buildvcs=false", noDebugging, "-overlay", changes, "-o", program, "./platform")
	t.Run("seams", func(t *testing.T) { seamsDo(t, changes, program) })
	t.Run("policies", func(t *testing.T) { policiesDo(t, changes, program) })
	t.Run("figures", func(t *testing.T) { figureDoes(t, program) })
	t.Run("run parameters", func(t *testing.T) { parameterDoes(t, program) })
}

func seamsDo(t *testing.T, changes, program string) {
	for _, guide := range seams {
		t.Run(guide, func(t *testing.T) { follow(t, guide, program) })
	}
	const gpu = "plain16?blocks.throttle.credits=10"
	t.Run("netlist", func(t *testing.T) {
		text := command(t, program, "netlist", "--gpu", gpu)
		assert.Contains(t, text, quoted(t, "adding-a-block.md", "module Throttle #("))
		assert.Equal(t, 16, strings.Count(text, "\n  Throttle GPU_Throttle_"))
		assert.NotContains(t, command(t, program, "netlist", "--gpu", "plain16"), "Throttle")
	})
	t.Run("results", func(t *testing.T) {
		file := func(name string) string { return filepath.Join(t.TempDir(), name) }
		sheet, wave := file("run.csv"), file("run.vcd")
		text := command(t, program, "run", "--gpu", gpu, "--policy", "fcfs", "--app", "profile:lbm", "--cycles", "50k", "--quiet",
			"--json", "-", "--csv", sheet, "--vcd", wave, "--vcd-interval", "1000")
		var result struct {
			NoC struct {
				RequestPackets uint64 `json:"request_packets"`
			} `json:"noc"`
			Blocks map[string]struct {
				Total   map[string]uint64
				Tenants []map[string]uint64
			} `json:"blocks"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &result))
		const packets = 16 * 250 * 10
		throttle := result.Blocks["throttle"]
		assert.EqualValues(t, packets, result.NoC.RequestPackets)
		assert.EqualValues(t, packets, throttle.Total["packets"])
		assert.EqualValues(t, packets, throttle.Tenants[0]["packets"])
		assert.Positive(t, throttle.Total["wait_cycles"])

		rows, err := csv.NewReader(strings.NewReader(read(t, sheet))).ReadAll()
		require.NoError(t, err)
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = rows[1][i]
		}
		assert.Equal(t, []string{"40000", "40000"}, []string{cells["total_blocks_throttle_packets"], cells["blocks_throttle_packets"]})
		assert.Equal(t, 16, strings.Count(read(t, wave), " packets_0_lbm [63:0] $end"))
	})
	t.Run("schedulers", func(t *testing.T) {
		assert.Contains(t, command(t, program, "list", "schedulers"), "oldest")
		hash := func(gpu string) string {
			text := command(t, program, "run", "--gpu", gpu, "--app", "profile:lbm", "--cycles", "3k", "--quiet", "--json", "-")
			var result struct {
				DRAM, L2 map[string]any
				Stalls   map[string]uint64
			}
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return fmt.Sprint(result)
		}
		plain := hash("plain16")
		assert.NotEqual(t, plain, hash("plain16?sm.scheduler=oldest"))
	})
	t.Run("DRAM schedulers", func(t *testing.T) {
		served := func(scheduler, second string) uint64 {
			text := command(t, program, "run", "--gpu", "plain16?address.slices=1&address.channels=1&dram.scheduler="+scheduler, "--policy", "even",
				"--app", "profile:lbm", "--app", "profile:lbm"+second, "--cycles", "5k", "--isolated", "900,900", "--quiet", "--json", "-")
			var result struct {
				Kernels []struct{ DRAM struct{ Bytes uint64 } }
			}
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return result.Kernels[1].DRAM.Bytes
		}
		equal := served("priority:streak=2", "")
		assert.Greater(t, served("priority:streak=2", "?priority=1"), equal)
		assert.Equal(t, served("frfcfs", ""), served("frfcfs", "?priority=1"))
	})
	t.Run("prefetchers", func(t *testing.T) {
		counts := func(kind string) map[string]uint64 {
			text := command(t, program, "run", "--gpu", "plain16?sm.l1.prefetch.kind="+kind, "--app", "stencil?size=tiny", "--cycles", "10k", "--quiet", "--json", "-")
			var result struct {
				Stats map[string]struct{ Total map[string]uint64 }
			}
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return result.Stats["sm"].Total
		}
		assert.Zero(t, counts("none")["l1_prefetches"])
		stride := counts("stride")
		assert.Positive(t, stride["l1_prefetch_hits"])
		assert.Greater(t, stride["l1_prefetches"], stride["l1_prefetch_hits"])
	})
	t.Run("replacement rules", func(t *testing.T) {
		hits := func(rule string) uint64 {
			text := command(t, program, "run", "--gpu", "plain16?sm.l1.sets=4&sm.l1.victim="+rule, "--app", "stencil?size=tiny", "--cycles", "10k", "--quiet", "--json", "-")
			var result struct {
				Kernels []struct{ L1 struct{ Hits uint64 } }
			}
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return result.Kernels[0].L1.Hits
		}
		lru := hits("lru")
		assert.NotEqual(t, lru, hits("srrip"))
		assert.NotEqual(t, lru, hits("srrip:bits=3"))
		fault, err := exec.CommandContext(t.Context(), program, "netlist", "--gpu", "plain16?sm.l1.victim=srrip:bits=9").CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(fault), `sm.l1.victim is "srrip:bits=9": bits is 9, must be 1 to 7`)
	})
	t.Run("topologies", func(t *testing.T) {
		ran := func(topology string) (kernel string, reads, hits uint64) {
			text := command(t, program, "run", "--gpu", "plain16?topology="+topology, "--app", "stencil?size=tiny", "--cycles", "10k", "--quiet", "--json", "-")
			var result struct {
				Kernels []map[string]any
				Stats   map[string]struct{ Total map[string]uint64 }
			}
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			copies := result.Stats["l2_copies"].Total
			return fmt.Sprint(result.Kernels), copies["reads"], copies["hits"]
		}
		uniform, reads, _ := ran("uniform")
		assert.Zero(t, reads)
		halves, reads, _ := ran("halves")
		assert.NotEqual(t, uniform, halves)
		same, _, _ := ran("modules:count=2")
		assert.Equal(t, halves, same, "two modules are halves")
		_, more, hits := ran("modules")
		assert.Greater(t, more, reads)
		assert.Positive(t, hits)
		assert.Contains(t, command(t, program, "netlist", "--gpu", "plain16?topology=modules:count=4&far_noc.latency=60"), "GPU_FarReplyNoC")
		fault, err := exec.CommandContext(t.Context(), program, "netlist", "--gpu", "plain16?topology=modules:count=5").CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(fault), `topology is "modules:count=5": address.channels is 8, must be a multiple of count`)
	})
	t.Run("units", func(t *testing.T) {
		stalls := func(gpu, app string) uint64 {
			text := command(t, program, "run", "--gpu", gpu, "--app", app, "--cycles", "10k", "--quiet", "--json", "-")
			var result struct{ Stalls map[string]uint64 }
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return result.Stalls["pipe_other"]
		}
		const dot = "plain16?sm.pipes.imad.unit=dot&sm.pipes.imad.latency=9&sm.pipes.imad.interval="
		assert.Greater(t, stalls(dot+"40", "stencil?size=tiny"), stalls(dot+"1", "stencil?size=tiny"))
		products := filepath.Join(t.TempDir(), "products.yaml")
		text := strings.Replace(read(t, "../workload/profile/builtin/sgemm.yaml"), "fp32:", "tensor:", 1)
		require.NoError(t, os.WriteFile(products, []byte(text), 0o600))
		class := strings.Replace(dot, "imad", "matrix", 3)
		assert.Greater(t, stalls(class+"40", "profile:"+products), stalls(class+"1", "profile:"+products))
	})
	t.Run("schemes", func(t *testing.T) {
		text := command(t, program, "run", "--gpu", "pagefault16?sm.faults.scheme=address-table&sm.faults.log_bytes=8192", "--app", "grid-points?size=tiny",
			"--pages", "lazy-heap", "--cycles", "200k", "--quiet", "--json", "-")
		var result struct {
			Stats map[string]struct{ Total map[string]uint64 }
		}
		require.NoError(t, json.Unmarshal([]byte(text), &result))
		assert.Positive(t, result.Stats["sm"].Total["replays"])
	})
	t.Run("tests", func(t *testing.T) {
		text := command(t, "go", "test", "-vet=off", "-overlay", changes, "-v", "-run", "TestEveryRegisteredBlock|TestPickReturns|TestLinesThatHit|TestStrideFollows|TestDotIsCold|TestPriorityGoes|TestStreakOf|TestQueue|TestStorage|TestMuted",
			"./tests", "./sm", "./sm/ews", "./sm/gate", "./sm/l1", "./sm/pipes", "./sm/queued", "./mem/dram")
		for _, test := range []string{"TestEveryRegisteredBlockLetsApplicationsEnd/throttle", "TestPickReturnsAReadySlotAndChangesNothing/oldest", "TestLinesThatHitOutliveAScan",
			"TestStrideFollowsTwoEqualStepsOfOneInstruction", "TestDotIsColdAfterAPause",
			"TestMutedTenantIssuesNoMemoryInstruction", "TestPriorityGoesBeforeRowHits", "TestStreakOfRowHitsIsCapped", "TestStorageKeepsItsContract/address-table",
			"TestQueueAllocatesNothing/address-table", "TestQueueDoesEverythingOnceWhateverFaultsAndLeaves"} {
			assert.Contains(t, text, "--- PASS: "+test)
		}
	})
}

func policiesDo(t *testing.T, changes, program string) {
	t.Run("commands", func(t *testing.T) { follow(t, "writing-a-policy.md", program) })
	assert.Contains(t, command(t, program, "list", "policies"), "last come first served")
	text := command(t, program, "run", "--policy", "lcfs", "--app", "profile:lbm", "--app", "profile:sgemm?arrival=1000", "--cycles", "3k",
		"--isolated", "900,900", "--quiet", "--json", "-")
	assert.Contains(t, text, `"lcfs"`)
	app := "profile:lbm?share=40&priority=2"
	assert.Contains(t, command(t, program, "run", "--app", app, "--cycles", "1k", "--quiet", "--json", "-"), "profile:lbm?share=40")
	fault, err := exec.CommandContext(t.Context(), program, "run", "--app", "profile:lbm?share=200").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(fault), `invalid option "share=200"; valid: a whole number from 1 to 100`)
	t.Run("a policy with rates, quotas and a table", func(t *testing.T) { paced(t, changes, program) })
	// The folder is only in the overlay, so the test cannot run in it.
	tests := filepath.Join(t.TempDir(), "lcfs.test")
	command(t, "go", "test", "-c", "-vet=off", noDebugging, "-overlay", changes, "-o", tests, "./cta_dispatcher/policy/lcfs")
	text = command(t, tests, "-test.v", "-rapid.checks=10")
	for _, test := range []string{"EveryThreadBlockRunsOnceWithinResources/lcfs", "OneTenantRunsAsIfAlone/lcfs", "RenumberingTenantsRenumbersTheResult/lcfs"} {
		assert.Contains(t, text, "--- PASS: TestContract/"+test)
	}
}

// paced checks the guide's policy with rates and quotas: three files make it, it keeps the
// contract, and every view shows its table.
func paced(t *testing.T, changes, program string) {
	files := map[string]bool{}
	_, section, found := strings.Cut(read(t, "writing-a-policy.md"), "## Rates, quotas and a table")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	for _, q := range quotes(section) {
		files[q.file] = true
	}
	assert.Len(t, files, 3)
	page := filepath.Join(t.TempDir(), "run.html")
	result := filepath.Join(t.TempDir(), "run.json")
	text := command(t, program, "run", "--gpu", "ccbp16-irc", "--policy", "paced", "--app", "profile:lbm", "--app", "profile:sgemm", "--cycles", "3k",
		"--isolated", "900,900", "--quiet", "--json", result, "--html", page)
	assert.Regexp(t, `profile:lbm +│ +5000 │ +10\.0 │`, text)
	assert.Contains(t, read(t, page), "<th>quota in warp instructions of a scheduler and an epoch</th>")
	assert.Regexp(t, `"paces": \[\s+\{\s+"tenant": 0,\s+"quota": 5000,\s+"rate": 10\s+\}`, read(t, result))
	tests := filepath.Join(t.TempDir(), "paced.test")
	command(t, "go", "test", "-c", "-vet=off", noDebugging, "-overlay", changes, "-o", tests, "./cta_dispatcher/policy/paced")
	assert.Contains(t, command(t, tests, "-test.v", "-rapid.checks=10"), "--- PASS: TestTenantsThatShareHaveEvenPaces")
}

// quoted is the fenced block of a guide that begins with a line.
func quoted(t *testing.T, guide, line string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, guide), "```\n"+line)
	require.True(t, found, "%s has no block that begins with %q", guide, line)
	text, _, _ = strings.Cut(text, "```")
	return line + text
}

// The figure of adding-a-figure.md is the only file that it takes.
func figureDoes(t *testing.T, program string) {
	assert.Contains(t, command(t, program, "reproduce", "--list"), "lbm beside two compute-intensive applications (SMK, text 1), on smk16")
	text := command(t, program, "reproduce", "smk-lbm", "--quick", "--quiet", "--json", "-", "--store", filepath.Join(t.TempDir(), "s.sqlite"))
	var report struct {
		Cycles, Mixes, Policies int
		Rows                    []struct {
			Label, Unit string
			Paper, Ours *float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	assert.Equal(t, []int{5000, 2, 2}, []int{report.Cycles, report.Mixes, report.Policies})
	var labels []string
	for _, r := range report.Rows {
		labels = append(labels, r.Label)
		assert.NotNil(t, r.Ours, r.Label)
	}
	assert.Equal(t, []string{"STP, sgemm+lbm, Spart", "STP, sgemm+lbm, SMK-(P+W)", "STP, mri-q+lbm, Spart", "STP, mri-q+lbm, SMK-(P+W)",
		"STP, beside lbm, SMK-(P+W) over Spart", "fairness, beside lbm, SMK-(P+W) over Spart"}, labels)
	assert.Equal(t, 17.0, *report.Rows[4].Paper)
}

// The parameter of sweeps.md takes the two files that the guide changes.
func parameterDoes(t *testing.T, program string) {
	type result struct {
		Stagger    *uint64
		ConfigHash string `json:"config_hash"`
		Kernels    []struct {
			ArrivalCycle uint64 `json:"arrival_cycle"`
		}
	}
	run := func(flags ...string) (r result) {
		args := append([]string{"run", "--app", "profile:lbm", "--app", "profile:sad", "--cycles", "3k", "--isolated", "1,1", "--quiet", "--json", "-"}, flags...)
		require.NoError(t, json.Unmarshal([]byte(command(t, program, args...)), &r))
		return r
	}
	plain, zero, staggered := run(), run("--stagger", "0"), run("--stagger", "1k")
	assert.Nil(t, plain.Stagger)
	assert.Equal(t, plain.ConfigHash, zero.ConfigHash)
	assert.NotEqual(t, plain.ConfigHash, staggered.ConfigHash)
	require.NotNil(t, staggered.Stagger)
	assert.Equal(t, []uint64{1000, 0, 1000}, []uint64{*staggered.Stagger, staggered.Kernels[0].ArrivalCycle, staggered.Kernels[1].ArrivalCycle})

	folder := t.TempDir()
	matrix, store := filepath.Join(folder, "m.yaml"), filepath.Join(folder, "s.sqlite")
	require.NoError(t, os.WriteFile(matrix, []byte("policies: [fcfs]\nmixes: [{apps: ['profile:lbm', 'profile:sad']}]\ncycles: [3k]\nstagger: [0, 500, 1k]\n"), 0o600))
	sheet := filepath.Join(folder, "m.csv")
	command(t, program, "sweep", matrix, "--store", store, "--quiet", "--csv", sheet)
	rows, err := csv.NewReader(strings.NewReader(read(t, sheet))).ReadAll()
	require.NoError(t, err)
	var arrivals []string
	for _, row := range rows {
		for i, name := range rows[0] {
			if name == "arrival_cycle" {
				arrivals = append(arrivals, row[i])
			}
		}
	}
	assert.Equal(t, []string{"arrival_cycle", "0", "0", "0", "500", "0", "1000"}, arrivals)
	listed := command(t, program, "sweep", matrix, "--store", store, "--dry-run")
	assert.Contains(t, listed, "stored  cotenant run --gpu gtx980 --policy fcfs --app profile:lbm --app profile:sad --cycles 3000 --stagger 500 --seed 1\n")
	assert.NotContains(t, listed, "to run")
}
