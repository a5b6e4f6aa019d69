package kernels

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// Texture is an array as the texture unit sees it. It may be swapped and
// written as any other array.
type Texture struct {
	// Name is that of a texture reference of the PTX. With any other name it is
	// a texture object, and its name in expressions is the handle. Required.
	Name string `yaml:"name"`
	// Array holds the texels, of up to 32 bits in each channel. Required.
	Array string `yaml:"array"`
	// Width and Height in texels, from 1. Width is required, height is 1 by
	// default, for one dimension.
	Width  Expr `yaml:"width"`
	Height Expr `yaml:"height"`
	// Offset is the element of the array that the texture begins at. Default 0.
	Offset Expr `yaml:"offset"`
	// Channels of a texel: 1, 2 or 4. Default 1.
	Channels int `yaml:"channels"`
	// Mode says what lies outside: clamp (the nearest texel, the default),
	// border (zero) or wrap (the texture again, with normalized coordinates).
	Mode string `yaml:"mode"`
	// Filter is point (the texel that holds the coordinate, the default) or linear
	// (the mean of those around it, by distance), which takes texels of type f32,
	// or of 8 or 16 bits, and gives results of type f32.
	Filter string `yaml:"filter"`
	// Normalized says that coordinates run from 0 to 1. Default false.
	Normalized bool `yaml:"normalized"`
}

// SetDefaults sets every field to its default.
func (t *Texture) SetDefaults() {
	*t = Texture{Channels: 1, Mode: textureModes[exec.Clamp], Filter: filterPoint}
}

// The filters of textures.
const (
	filterPoint  = "point"
	filterLinear = "linear"
)

// textureModes are the names of exec.AddressMode.
var textureModes = []string{exec.Clamp: "clamp", exec.Border: "border", exec.Wrap: "wrap"}

// texelTypes are the types of elements that may be texels.
var texelTypes = map[string]ptx.Type{"u8": ptx.U8, "s8": ptx.S8, "u16": ptx.U16, "s16": ptx.S16, "u32": ptx.U32, "s32": ptx.S32,
	"f32": ptx.F32}

func (c *checker) texture(path string, t *Texture) {
	c.fresh(path+".name", t.Name)
	c.expr(path+".width", &t.Width)
	c.optional(path+".height", &t.Height)
	c.optional(path+".offset", &t.Offset)
	if t.Filter != filterPoint && t.Filter != filterLinear {
		c.fail(path+".filter", "is %q; valid: %s, %s", t.Filter, filterPoint, filterLinear)
	}
	if t.Channels != 1 && t.Channels != 2 && t.Channels != 4 {
		c.fail(path+".channels", "is %d; valid: 1, 2 or 4", t.Channels)
	}
	if !slices.Contains(textureModes, t.Mode) {
		c.fail(path+".mode", "is %q; valid: %s", t.Mode, strings.Join(textureModes, ", "))
	}
	if t.Mode == textureModes[exec.Wrap] && !t.Normalized {
		c.fail(path+".mode", "is wrap without normalized; valid: wrap with normalized: true, or another mode")
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
func (i *Instance) textures(config *exec.LaunchConfig) error {
	for at := range i.m.Textures {
		t, path := &i.m.Textures[at], fmt.Sprintf("textures[%d]", at)
		texture, err := i.texture(path, t)
		if err != nil {
			return err
		}
		if !i.m.isReference(t.Name) {
			config.TextureObjects = append(config.TextureObjects, texture)
			continue
		}
		if config.Textures == nil {
			config.Textures = map[string]exec.Texture{}
		}
		config.Textures[t.Name] = texture
	}
	return nil
}

func (i *Instance) texture(path string, t *Texture) (texture exec.Texture, err error) {
	d := i.arrays[t.Array]
	if d == nil || texelTypes[d.typ.name] == ptx.NoType || d.stride > 0 {
		return texture, i.m.errorf(path+".array", "is %q; valid: an array of elements of up to 32 bits", t.Array)
	}
	if t.Filter == filterLinear && d.typ.name != "f32" && d.typ.bytes > 2 {
		return texture, i.m.errorf(path+".filter", "is linear for texels of type %s; valid: for f32, u8, s8, u16, s16", d.typ.name)
	}
	offset := int64(0)
	if t.Offset.given() {
		if offset, err = t.Offset.whole(i, 0, int64(d.Length)); err != nil {
			return texture, i.m.errorf(path+".offset", "%v", err)
		}
	}
	width, err := t.Width.whole(i, 1, maxGrid)
	if err != nil {
		return texture, i.m.errorf(path+".width", "%v", err)
	}
	height := int64(1)
	if t.Height.given() {
		if height, err = t.Height.whole(i, 1, maxGrid); err != nil {
			return texture, i.m.errorf(path+".height", "%v", err)
		}
	}
	if have := (int64(d.Length) - offset) / int64(t.Channels); width*height > have {
		return texture, i.m.errorf(path, "has %d by %d texels, and %s %d; make it smaller", width, height, t.Array, have)
	}
	return exec.Texture{Addr: d.Addr + uint64(offset)*uint64(d.typ.bytes), Linear: t.Filter == filterLinear, Width: int(width), Height: int(height), Channels: t.Channels, Type: texelTypes[d.typ.name],
		Mode: exec.AddressMode(slices.Index(textureModes, t.Mode)), Normalized: t.Normalized}, nil
}
