package kernels

import (
	"fmt"
	"slices"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// Texture is an array as the texture unit sees it. It may be swapped and
// written as any other array.
type Texture struct {
	// Name is that of a texture reference of the PTX. With any other name it is
	// a texture object, and its name in expressions is the handle. Required.
	Name string `yaml:"name" name:"new"`
	// Array holds the texels, of up to 32 bits in each channel. Required.
	Array string `yaml:"array"`
	// Width and Height in texels, from 1. Width is required, height is 1 by
	// default, for one dimension.
	Width  Expr `yaml:"width" need:"an expression, such as ceildiv(rows, 128)"`
	Height Expr `yaml:"height"`
	// Offset is the element of the array that the texture begins at. Default 0.
	Offset Expr `yaml:"offset"`
	// Channels of a texel: 1, 2 or 4. Default 1.
	Channels int `yaml:"channels" range:"1,2,4"`
	// Mode says what lies outside: clamp (the nearest texel, the default),
	// border (zero), wrap (the texture again) or mirror (the same, every second time
	// mirrored). The last two go with normalized coordinates.
	Mode string `yaml:"mode" words:"clamp, border, wrap, mirror"`
	// Filter is point (the texel that holds the coordinate, the default) or linear
	// (the mean of those around it, by distance), which takes texels of type f32,
	// or of 8 or 16 bits, and gives results of type f32.
	Filter string `yaml:"filter" words:"point, linear"`
	// Normalized says that coordinates run from 0 to 1. Default false.
	Normalized bool `yaml:"normalized"`
}

// SetDefaults sets every field to its default.
func (t *Texture) SetDefaults() {
	*t = Texture{Channels: 1, Mode: textureModes[exec.Clamp], Filter: "point"}
}

// textureModes are the names of exec.AddressMode.
var textureModes = []string{exec.Clamp: "clamp", exec.Border: "border", exec.Wrap: "wrap", exec.Mirror: "mirror"}

// texelTypes are the types of elements that may be texels.
var texelTypes = map[string]ptx.Type{"u8": ptx.U8, "s8": ptx.S8, "u16": ptx.U16, "s16": ptx.S16, "u32": ptx.U32, "s32": ptx.S32,
	"f32": ptx.F32}

func (t *Texture) check(c *checker, path string) {
	if mode := t.Mode; (mode == textureModes[exec.Wrap] || mode == textureModes[exec.Mirror]) && !t.Normalized {
		c.m.fail(path+".mode", "is %s without normalized; valid: %s with normalized: true, or another mode", mode, mode)
	}
}

// isReference reports whether the PTX has a texture reference of a name.
func (m *Manifest) isReference(name string) bool {
	return slices.ContainsFunc(m.module.Vars, func(v *ptx.Var) bool { return v.Texture && v.Name == name })
}

// handles gives the texture objects their numbers, which count from 1.
func (i *Instance) handles() {
	next := int64(1)
	for at := range i.m.Textures {
		if name := i.m.Textures[at].Name; !i.m.isReference(name) {
			i.numbers[name] = wholeOf(next)
			next++
		}
	}
}

// textures adds the textures, where they are now, to a launch.
func (i *Instance) textures(config *exec.LaunchConfig) {
	for at := range i.m.Textures {
		t := &i.m.Textures[at]
		texture := i.texture(fmt.Sprintf("textures[%d]", at), t)
		if !i.m.isReference(t.Name) {
			config.TextureObjects = append(config.TextureObjects, texture)
			continue
		}
		if config.Textures == nil {
			config.Textures = map[string]exec.Texture{}
		}
		config.Textures[t.Name] = texture
	}
}

func (i *Instance) texture(path string, t *Texture) exec.Texture {
	d := i.arrays[t.Array]
	if d == nil || texelTypes[d.typ.name] == ptx.NoType || d.stride > 0 {
		i.m.fail(path+".array", "is %q; valid: an array of elements of up to 32 bits", t.Array)
	}
	linear := t.Filter == "linear"
	if linear && d.typ.name != "f32" && d.typ.bytes > 2 {
		i.m.fail(path+".filter", "is linear for texels of type %s; valid: for f32, u8, s8, u16, s16", d.typ.name)
	}
	offset := i.wholeOr(&t.Offset, 0, int64(d.Length), 0)
	width, height := i.whole(&t.Width, 1, maxGrid), i.wholeOr(&t.Height, 1, maxGrid, 1)
	if have := (int64(d.Length) - offset) / int64(t.Channels); width*height > have {
		i.m.fail(path, "has %d by %d texels, and %s %d; make it smaller", width, height, t.Array, have)
	}
	return exec.Texture{Addr: d.Addr + uint64(offset)*uint64(d.typ.bytes), Linear: linear,
		Width: int(width), Height: int(height), Channels: t.Channels, Type: texelTypes[d.typ.name],
		Mode: exec.AddressMode(slices.Index(textureModes, t.Mode)), Normalized: t.Normalized, Array: height > 1}
}
