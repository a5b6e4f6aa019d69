package presets

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"cotenant/platform/wiring"
	"cotenant/sm"
)

// mixed is a GPU with SMs of three kinds, the base kind among them.
const mixed = `extends: gtx980
sm: {tbs: 16}
sm_kinds:
  big: {registers: 98304, shared_bytes: [65536, 131072], l1: {ways: 8}}
  small:
    threads: 1024
    schedulers: 2
sms: [{count: 2, kind: big}, {count: 3}, {count: 1, kind: small}, {count: 1, kind: big}]
`

func TestKindsOfSMsDifferFromSMInWhatTheySet(t *testing.T) {
	c, err := loadText(t, mixed)
	require.NoError(t, err)
	base := preset(t, "gtx980").SM
	base.TBs = 16
	big, small := base, base
	big.Registers, big.SharedBytes, big.L1.Ways = 98304, []int{65536, 131072}, 8
	small.Threads, small.Schedulers = 1024, 2
	assert.Equal(t, map[string]sm.Spec{"big": big, "small": small}, c.SMKinds)
	b, n, s := wiring.SMInstance{Kind: "big", Spec: big}, wiring.SMInstance{Kind: "base", Spec: base}, wiring.SMInstance{Kind: "small", Spec: small}
	assert.Equal(t, []wiring.SMInstance{b, b, n, n, n, s, b}, c.SMList())
	assert.Equal(t, []wiring.SMInstance{b, n, s}, c.Kinds())
	assert.Equal(t, "2 big, 3 base, 1 small, 1 big", c.SMs.String())
	assert.Equal(t, 6*2048+1024, c.Threads())
}

// Whichever file sets it last, a kind has what it does not set from sm.
func TestKindsAreMergedOverFiles(t *testing.T) {
	dir := folder(t, "mixed.yaml", mixed,
		"top.yaml", "extends: mixed.yaml\nsm: {tbs: 8, registers: 32768}\nsm_kinds:\n  big: {tbs: 20, l1: {sets: 64}}\n  other: {}\n")
	for ref, want := range map[string]func(*wiring.Config){
		"top.yaml": func(*wiring.Config) {},
		"top.yaml?sms=8": func(c *wiring.Config) {
			c.SMs = wiring.EqualSMs(8)
		},
		"top.yaml?sms=[{count: 4, kind: small}, {count: 4, kind: base}]": func(c *wiring.Config) {
			c.SMs = wiring.SMGroups{{Count: 4, Kind: "small"}, {Count: 4, Kind: "base"}}
		},
		"top.yaml?sm_kinds.big.registers=4096&sm.l1.mshrs=8": func(c *wiring.Config) {
			c.SM.L1.MSHRs = 8
			for kind, s := range c.SMKinds {
				s.L1.MSHRs = 8
				if kind == "big" {
					s.Registers = 4096
				}
				c.SMKinds[kind] = s
			}
		},
		"top.yaml?sm_kinds.new={threads: 512}&sms=[{count: 2, kind: new}]": func(c *wiring.Config) {
			s := c.SM
			s.Threads = 512
			c.SMKinds["new"] = s
			c.SMs = wiring.SMGroups{{Count: 2, Kind: "new"}}
		},
	} {
		ref = filepath.Join(dir, ref)
		c, err := Load(ref)
		require.NoError(t, err)
		expected := preset(t, filepath.Join(dir, "mixed.yaml"))
		expected.SM.TBs, expected.SM.Registers = 8, 32768
		big, small := expected.SMKinds["big"], expected.SMKinds["small"]
		big.TBs, big.L1.Sets, small.TBs, small.Registers = 20, 64, 8, 32768
		expected.SMKinds = map[string]sm.Spec{"big": big, "small": small, "other": expected.SM}
		want(expected)
		expected.Name = c.Name
		assert.Equal(t, expected, c, ref)
	}
}

// The page of a run has the configuration as a file to run it again.
func TestConfigurationIsWrittenAsAFileThatGivesIt(t *testing.T) {
	for _, text := range []string{mixed, "extends: k20c\nabout: plain\n"} {
		c, err := loadText(t, text)
		require.NoError(t, err)
		out, err := yaml.Marshal(c)
		require.NoError(t, err)
		again, err := loadText(t, string(out))
		require.NoError(t, err, "%s", out)
		assert.Equal(t, c, again)
	}
}

func TestFaultsOfKindsNameFileAndLine(t *testing.T) {
	const ranges = "must be 1 to 1024"
	for text, message := range map[string]string{
		"sm_kinds:\n":                                                      ":2: sm_kinds is empty; it takes a mapping of names",
		"sm_kinds: [{name: big}]\n":                                        ":2: sm_kinds is a list; it takes a mapping of names",
		"sm_kinds: {big: 3}\n":                                             `:2: sm_kinds.big is "3"; it takes the keys schedulers, scheduler, `,
		"sm_kinds:\n  big:\n":                                              `:3: sm_kinds.big is empty; it takes the keys schedulers, scheduler, `,
		"sm_kinds: {big: {}}\nsm_kinds: {small: {}}\n":                     `:3: sm_kinds is given twice; once is enough`,
		"sm_kinds:\n  big: {}\n  big: {}\n":                                ":4: sm_kinds.big is given twice; once is enough",
		"sm_kinds:\n  ? [a]\n  : {}\n":                                     ":3: sm_kinds takes names as its keys",
		"sm_kinds:\n  Big.One: {}\n":                                       `:3: sm_kinds: invalid name "Big.One"; valid: lower-case letters, digits and _`,
		"sm_kinds:\n  base: {}\n":                                          ":3: sm_kinds.base: the key sm describes kind base; choose another name",
		"sm_kinds:\n  big:\n    l1: {way: 3}\n":                            `:4: unknown key "way" in sm_kinds.big.l1; valid keys: sets, ways, `,
		"sm_kinds:\n  big:\n    threads: many\n":                           `:4: sm_kinds.big.threads is "many"; it takes a whole number`,
		"sm_kinds:\n  big:\n    tbs: 1\n    tbs: 2\n":                      ":5: sm_kinds.big.tbs is given twice; once is enough",
		"sm_kinds:\n  big:\n    l1:\n      ways: 0\n":                      ":5: sm_kinds.big.l1.ways is 0, must be 1 to 256",
		"sm: {threads: 4096}\nsm_kinds:\n  big:\n    schedulers: 1\n":      ":5: sm_kinds.big.threads is 4096, must be 32 to 2048",
		"sm_kinds: {big: {}, small: {}}\nsms:\n- count: 3\n  kind: bigg\n": `:5: sms[0].kind is "bigg"; valid: base, big, small`,
		"sms: [{count: 3, kind: big}]\n":                                   `:2: sms[0].kind is "big"; valid: base`,
		"sms:\n- {count: 3}\n- {kind: base}\n":                             ":4: sms[1].count is 0, " + ranges,
		"sms:\n- {count: 3}\n- {count: -1}\n":                              ":4: sms[1].count is -1, " + ranges,
		"sms:\n- {count: 1000}\n- {count: 25}\n":                           ":3: sms is 1025, " + ranges,
		"sms: []\n":                                                        ":2: sms is 0, " + ranges,
		"sms: {count: 3}\n":                                                ":2: sms is a mapping; it takes a whole number, or a list such as [{count: 8, kind: base}]",
		"sms: many\n":                                                      `:2: sms is "many"; it takes a whole number, or a list such as `,
		"sms: [{count: 3, knd: x}]\n":                                      `:2: unknown key "knd" in sms[0]; valid keys: count, kind`,
		"sms: [{count: 3, count: 4}]\n":                                    ":2: sms[0].count is given twice; once is enough",
	} {
		file := filepath.Join(folder(t, "gpu.yaml", "extends: gtx980\n"+text), "gpu.yaml")
		_, err := Load(file)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), file+message, text)
	}
	dir := folder(t, "mixed.yaml", mixed, "top.yaml", "extends: mixed.yaml\nsms: 3\nsm_kinds: {small: {tbs: 3}}\n", "wide.yaml", "extends: mixed.yaml\nsm: {schedulers: 8, threads: 16384}\nsm_kinds: {big: {l1: {ways: 4}}}\nsms: [{count: 1, kind: big}]\n",
		"single.yaml", "extends: wide.yaml\nsm_kinds: {other: {schedulers: 1}}\n")
	_, err := Load(filepath.Join(dir, "wide.yaml"))
	assert.NoError(t, err)
	_, err = Load(filepath.Join(dir, "single.yaml"))
	assert.EqualError(t, err, filepath.Join(dir, "single.yaml")+":2: sm_kinds.other.threads is 16384, must be 32 to 2048")
	for option, message := range map[string]string{
		"sm_kinds.bgi.threads=64":   "sm_kinds.bgi: no SM is of this kind; valid: big, small, a kind that sms lists",
		"sm_kinds.big.threads=1":    "sm_kinds.big.threads is 1, must be 32 to 8192",
		"sm_kinds.big=3":            `sm_kinds.big is "3"; it takes the keys schedulers, `,
		"sm_kinds=3":                `sm_kinds is "3"; it takes a mapping of names`,
		"sms=[{count: 1, kind: x}]": `sms[0].kind is "x"; valid: base, big, small`,
	} {
		ref := filepath.Join(dir, "top.yaml?"+option)
		_, err := Load(ref)
		require.Error(t, err)
		assert.Contains(t, err.Error(), fmt.Sprintf("GPU %q: %s", ref, message))
	}
	_, err = Load("k20c?sm_kinds.big.threads=64")
	assert.EqualError(t, err, `GPU "k20c?sm_kinds.big.threads=64": sm_kinds.big: no SM is of this kind; valid: a kind that sms lists`)
}

// A configuration of equal SMs is written, and so identified in results, as it
// always was.
func TestEqualSMsAreWrittenAsTheirNumber(t *testing.T) {
	for groups, want := range map[string]string{"16": "16", "[{count: 16}]": "16", "[{count: 8}, {count: 8}]": `[{"Count":8,"Kind":"base"},{"Count":8,"Kind":"base"}]`} {
		c, err := loadText(t, "extends: gtx980\nsms: "+groups+"\n")
		require.NoError(t, err)
		text, err := c.SMs.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, want, string(text), fmt.Sprint(groups))
	}
}
