package limits_test

import (
	"errors"
	"testing"

	"cotenant/components/limits"

	"github.com/stretchr/testify/require"
)

// cache has a parameter for each kind of range.
type cache struct {
	Sets   int    `yaml:"sets" range:"0..4096"`
	Ways   int    `yaml:"ways" range:"1..256" if:"sets"`
	Second int    `yaml:"second" range:"2..9" if:"ways"`
	Port   int    `yaml:"port" range:"32,64,128"`
	Wait   int    `yaml:"wait" range:"0,8..32"`
	Line   int    `yaml:"line" range:"pow2 16..1024"`
	Region int    `yaml:"region" range:"pow2 1..1<<30"`
	Clock  int    `yaml:"clock" range:"1..100 MHz"`
	Ports  int    `yaml:"-" range:"1..4"`
	Rule   string `yaml:"rule"`
	Period int    `yaml:"period" range:"1..5" if:"rule=ucp"`
	Free   int    `yaml:"free"`
	Debts  debt   `yaml:"debts"`
}

// debt is a type of its own.
type debt int

func valid() cache {
	return cache{Sets: 1, Ways: 1, Second: 2, Port: 32, Wait: 0, Line: 16, Region: 1, Clock: 1, Ports: 1, Free: -7}
}

func TestCheckNamesTheFieldTheValueAndTheRange(t *testing.T) {
	c := valid()
	require.NoError(t, limits.Check(c))
	for want, change := range map[string]func(*cache){
		"":                                                      func(c *cache) { c.Sets, c.Ways = 4096, 256 },
		"sets is -1, must be 0 to 4096":                         func(c *cache) { c.Sets = -1 },
		"sets is 4097, must be 0 to 4096":                       func(c *cache) { c.Sets = 4097 },
		"ways is 0, must be 1 to 256":                           func(c *cache) { c.Ways = 0 },
		"ways is 257, must be 1 to 256":                         func(c *cache) { c.Ways = 257 },
		"second is 1, must be 2 to 9":                           func(c *cache) { c.Second = 1 },
		"port is 33, must be 32, 64 or 128":                     func(c *cache) { c.Port = 33 },
		"wait is 7, must be 0 or 8 to 32":                       func(c *cache) { c.Wait = 7 },
		"wait is 33, must be 0 or 8 to 32":                      func(c *cache) { c.Wait = 33 },
		"line is 48, must be a power of two from 16 to 1024":    func(c *cache) { c.Line = 48 },
		"line is 8, must be a power of two from 16 to 1024":     func(c *cache) { c.Line = 8 },
		"region is 0, must be a power of two up to 1073741824":  func(c *cache) { c.Region = 0 },
		"region is -2, must be a power of two up to 1073741824": func(c *cache) { c.Region = -2 },
		"clock is 101, must be 1 to 100 MHz":                    func(c *cache) { c.Clock = 101 },
		"ports is 5, must be 1 to 4":                            func(c *cache) { c.Ports = 5 },
		"period is 0, must be 1 to 5":                           func(c *cache) { c.Rule = "ucp" },
	} {
		c := valid()
		change(&c)
		for _, err := range []error{limits.Check(c), limits.Check(&c)} {
			if want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, want)
			}
		}
	}
}

func TestFieldThatDoesNotCountMayHaveAnyValue(t *testing.T) {
	c := valid()
	c.Sets, c.Ways, c.Second, c.Rule, c.Period = 0, -5, 77, "lru", -1
	require.NoError(t, limits.Check(c), "second counts where ways counts")
	c.Sets, c.Ways = 3, 1
	require.EqualError(t, limits.Check(c), "second is 77, must be 2 to 9")
}

// part and its owner are nested structs.
type part struct {
	Depth int `yaml:"depth" range:"1..8"`
	Width int `yaml:"width"`
}

func (p *part) Validate() error {
	if p.Width > p.Depth {
		return errors.New("width is above depth")
	}
	return limits.Check(p)
}

// Base is inline.
type Base struct {
	Units int `yaml:"units" range:"1..2"`
}

type owner struct {
	Base   `yaml:",inline"`
	Caches struct {
		L1 cache `yaml:"l1"`
	} `yaml:"caches"`
	Part part `yaml:"part"`
	Mine part `yaml:"mine" range:"-"`
}

func TestStructsInsideAreCheckedUnderTheirKeys(t *testing.T) {
	good := owner{Base: Base{1}, Part: part{1, 1}}
	good.Caches.L1 = valid()
	require.NoError(t, limits.Check(good))
	for want, change := range map[string]func(*owner){
		"units is 3, must be 1 to 2":             func(o *owner) { o.Units = 3 },
		"caches.l1.ways is -1, must be 1 to 256": func(o *owner) { o.Caches.L1.Ways = -1 },
		"part.depth is 9, must be 1 to 8":        func(o *owner) { o.Part.Depth = 9 },
		"part.width is above depth":              func(o *owner) { o.Part.Width = 5 },
	} {
		o := good
		change(&o)
		require.EqualError(t, limits.Check(o), want)
	}
	o := good
	o.Part.Depth = 9
	var fault *limits.Error
	require.ErrorAs(t, limits.Check(&o), &fault)
	require.Equal(t, limits.Error{Path: "part.depth", Value: 9, Must: "1 to 8"}, *fault)
}

func TestInTakesEndsThatFollowFromOthers(t *testing.T) {
	require.NoError(t, limits.In("ways", 4, 1, 4))
	require.EqualError(t, limits.In("ways", 5, 1, 4), "ways is 5, must be 1 to 4")
	require.EqualError(t, limits.In("ways", 0, 1, 4), "ways is 0, must be 1 to 4")
	require.EqualError(t, limits.In("ways", 2, 1, 1), "ways is 2, must be 1 to 1")
}

func TestTagsThatCannotBeReadPanic(t *testing.T) {
	for want, spec := range map[string]any{
		`range "1..x": "x" is not a number`: struct {
			A int `yaml:"a" range:"1..x"`
		}{},
		`range "2<<62": "2<<62" is not a number`: struct {
			A int `yaml:"a" range:"2<<62"`
		}{},
		`struct { A int "yaml:\"a\" range:\"1..2\" if:\"b\"" } has no key "b" for the if of A`: struct {
			A int `yaml:"a" range:"1..2" if:"b"`
		}{},
	} {
		require.PanicsWithValue(t, want, func() { _ = limits.Check(spec) })
	}
}
