package exec

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
	"cotenant/workload/ptx/smallfloat"
)

// AddressMode says what a texture holds outside its bounds.
type AddressMode uint8

// The address modes. Wrap and Mirror go with normalised coordinates.
const (
	Clamp  AddressMode = iota // the nearest texel
	Border                    // zero
	Wrap                      // the texture again
	Mirror                    // the texture again, every second time mirrored
)

// Texture is an array in global memory as the texture unit sees it. An
// instruction with integer coordinates reads texels by number and gets zero
// outside the bounds.
type Texture struct {
	Addr          uint64
	Width, Height int // texels; Height 1 for one dimension
	Pitch         int // bytes from one row to the next; 0 if they follow each other
	// Depth is the number of planes, of a texture of three dimensions or of layers; 0 is one.
	// PlanePitch is the bytes from one to the next; 0 if they follow each other.
	Depth, PlanePitch int
	// Channels (1, 2 or 4) of Type (8 to 32 bits) make a texel. An instruction
	// that asks for .f32 gets 8-bit and 16-bit integers as fractions of the
	// largest; channels that are not there are zero.
	Channels   int
	Type       ptx.Type
	Mode       AddressMode
	Normalized bool // coordinates run from 0 to 1
	// Array says that it reads an array of CUDA, whose texels hardware arranges.
	Array bool
	// Linear says that a result of type .f32 weighs the texels around a
	// coordinate; otherwise it is the texel that holds the coordinate.
	Linear bool
}

// boundTexture is a texture with its memory.
type boundTexture struct {
	Texture
	texel, size int // bytes of a texel and of a channel
	layout      workload.TextureLayout
	// wide and high are the texels of a tile, powers of two.
	wide, high int
	data       []byte
}

func (t Texture) bind(cfg *LaunchConfig) (boundTexture, error) {
	b := boundTexture{Texture: t, texel: t.Channels * t.Type.Size(), size: t.Type.Size(), layout: cfg.TextureLayout}
	if cfg.TextureLayout == workload.Tiles {
		b.wide = 16
		for n := b.texel / 4; n > 0; n /= 4 {
			b.wide /= 2
		}
		b.high = tileBytes / (b.wide * max(b.texel, 1))
	}
	if b.Pitch == 0 {
		b.Pitch = b.texel * t.Width
	}
	b.Depth = max(b.Depth, 1)
	if b.PlanePitch == 0 {
		b.PlanePitch = b.Pitch * t.Height
	}
	switch n := b.size; {
	case t.Channels != 1 && t.Channels != 2 && t.Channels != 4 || n == 0 || n > 4:
		return b, fmt.Errorf("%d channels of type .%v; valid are 1, 2 or 4 of 8 to 32 bits", t.Channels, t.Type)
	case t.Width < 1 || t.Height < 1 || b.Pitch < b.texel*t.Width:
		return b, fmt.Errorf("%d by %d texels with a pitch of %d bytes; valid are sizes from 1 and a pitch of at least a row",
			t.Width, t.Height, b.Pitch)
	case b.PlanePitch < b.Pitch*(t.Height-1)+b.texel*t.Width:
		return b, fmt.Errorf("%d planes with a pitch of %d bytes; valid is a pitch of at least a plane", t.Depth, b.PlanePitch)
	case (t.Mode == Wrap || t.Mode == Mirror) && !t.Normalized:
		return b, fmt.Errorf("address mode wrap or mirror; valid with normalised coordinates only")
	}
	var err error
	b.data, err = cfg.Mem.Bytes(t.Addr, b.PlanePitch*(b.Depth-1)+b.Pitch*(t.Height-1)+b.texel*t.Width)
	return b, err
}

// tileBytes is the size of a tile: a line of the texture cache.
const tileBytes = 128

// A group of bytes of the layout BlockLinear.
const groupBytes, groupRows = 64, 8

// place is where the texel of a column and a row lies for caches, in bytes from the texture's
// beginning, and off where its data are. Tiles, and groups of bytes, follow one another along a
// row of them; at the right and lower edges they are as small as the texture leaves them, so that
// a place is always one of the texture's.
func (t *boundTexture) place(column, row, off int) uint64 {
	switch {
	case t.layout == workload.BlockLinear && t.Array:
		x, y := column*t.texel&(groupBytes-1), row&(groupRows-1)
		left, top := column*t.texel-x, row-y
		wide, high := min(groupBytes, t.Width*t.texel-left), min(groupRows, t.Height-top)
		within := y*wide + x
		if wide == groupBytes && high == groupRows {
			within = x>>5<<8 | y>>1<<6 | x>>4&1<<5 | y&1<<4 | x&15
		}
		return uint64(top*t.Pitch + left*high + within)
	case t.layout == workload.Tiles:
		x, y := column&(t.wide-1), row&(t.high-1)
		wide, high := min(t.wide, t.Width-(column-x)), min(t.high, t.Height-(row-y))
		return uint64((row-y)*t.Pitch + ((column-x)*high+y*wide+x)*t.texel)
	}
	return uint64(off)
}

// clamped is the texel of a coordinate along an axis of n texels, if outside is
// the nearest one.
func clamped(c float32, n int) (at int, ok bool) {
	switch {
	case c >= float32(n):
		return n - 1, true
	case c >= 1:
		return int(c), true
	}
	return 0, c == c
}

// scaled is a coordinate along an axis of n texels, in texels.
func (t *boundTexture) scaled(c float64, n int) float64 {
	if !t.Normalized {
		return c
	}
	switch t.Mode {
	case Wrap:
		c -= math.Floor(c)
	case Mirror:
		c -= 2 * math.Floor(c/2)
		c = min(c, 2-c)
	}
	return c * float64(n)
}

// position is the texel of a coordinate along an axis of n texels; not ok if it
// lies outside.
func (t *boundTexture) position(c float64, n int) (at int, ok bool) {
	c = math.Floor(t.scaled(c, n))
	if t.Mode != Border {
		return int(min(max(c, 0), float64(n-1))), c == c
	}
	return int(c), c >= 0 && c < float64(n)
}

func buildTex(b *builder) {
	in, o := b.in, &b.o
	to, from := b.types()
	texture, at := in.Src[0], in.Src[1]
	shape, coordinates := in.TextureShape(), at.Elems
	dims := 3
	if shape != "cube" {
		dims = int(shape[len(shape)-2] - '0')
	}
	// A texel has four channels, most of which kernels do not read.
	if b.at.read == nil {
		b.at.read = flow.RegistersRead(b.f)
	}
	for _, e := range in.Dst[0].Elems {
		slot := b.result(e)
		if e.Kind == ptx.Register && !b.at.read.Has(e.Reg) {
			slot = unwanted
		}
		o.list = append(o.list, slot)
	}
	if shape[0] == 'a' {
		o.d, o.accept = b.value(coordinates[0]), hasLayers
		coordinates = coordinates[1:]
	}
	o.b = b.value(coordinates[0])
	if dims >= 2 {
		o.c = b.value(coordinates[1])
	}
	if dims == 3 {
		o.d, o.accept = b.value(coordinates[2]), hasDepth
	}
	if shape == "cube" { // a face is a texture of two dimensions
		dims, o.accept = 2, hasFaces
	}
	o.target = noReference
	if texture.Var != nil {
		o.target = b.c.textureIndex(texture.Var)
	} else {
		o.a = b.at.slots[texture.Reg]
		b.c.p.byHandle = true
	}
	o.mode = uint8(to)
	o.signed = from == ptx.S32
	o.imm = uint64(dims)
	o.vec, o.bytes = 1, 16
	o.memory = true
	o.run = runTex
}

// Kinds of textures with planes.
const (
	hasLayers = 1 + iota // o.d is the number of one
	hasDepth             // o.d is a coordinate
	hasFaces             // o.b, o.c and o.d are a direction, which chooses one of six
)

// face is the face of a cube map that a direction meets, and the coordinates there (CUDA C++ Programming Guide,
// cubemap textures; where two of its sides are equal the first of x, y and z goes).
func face(x, y, z float32) (number uint64, u, v float32) {
	ax, ay, az := max(x, -x), max(y, -y), max(z, -z)
	var s, t, m float32
	switch {
	case ax >= ay && ax >= az && x >= 0:
		number, s, t, m = 0, -z, -y, x
	case ax >= ay && ax >= az:
		number, s, t, m = 1, z, -y, -x
	case ay >= az && y >= 0:
		number, s, t, m = 2, x, z, y
	case ay >= az:
		number, s, t, m = 3, x, -z, -y
	case z >= 0:
		number, s, t, m = 4, x, -y, z
	default:
		number, s, t, m = 5, -x, -y, -z
	}
	return number, (s/m + 1) / 2, (t/m + 1) / 2
}

// onFace turns a direction, in bits of float32, into coordinates and a layer. It is not ok if the texture is no cube.
func (t *boundTexture) onFace(x, y, z uint64) (u, v, layer uint64, ok bool) {
	real := func(b uint64) float32 { return math.Float32frombits(uint32(b)) }
	n, fu, fv := face(real(x), real(y), real(z))
	return uint64(math.Float32bits(fu)), uint64(math.Float32bits(fv)), n, t.Normalized && t.Depth == 6 && t.Width == t.Height
}

// textureIndex numbers the texture references that the program uses.
func (c *compiler) textureIndex(v *ptx.Var) int32 {
	i := slices.Index(c.p.textures, v)
	if i < 0 {
		i = len(c.p.textures)
		c.p.textures = append(c.p.textures, v)
	}
	return int32(i)
}

// noReference is in place of the index of a texture reference if a register
// holds a handle.
const noReference = -1

// byHandle is the texture that a handle stands for, or what is wrong with it.
func (l *launch) byHandle(handle uint64) (t *boundTexture, problem string) {
	if i := handle - firstReference; i < uint64(len(l.references)) {
		if t = &l.references[i]; t.data == nil {
			return nil, fmt.Sprintf("texture reference %s has no texture", l.memory.references[i].Name)
		}
		return t, ""
	}
	if i := handle - 1; i < uint64(len(l.objects)) && l.objects[i].data != nil {
		return &l.objects[i], ""
	}
	return nil, fmt.Sprintf("no texture object has the handle %d; valid are 1 to %d", handle, len(l.objects))
}

func runTex(w *Warp, o *op) {
	handles, xs, ys, zs := w.src(o.a), w.src(o.b), w.src(o.c), w.src(o.d)
	w.space = ptx.Global
	var t *boundTexture
	var handle uint64 // of t
	if o.target != noReference {
		t = &w.launch.textures[o.target]
	}
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		if o.target == noReference && (t == nil || handles[i] != handle) {
			var problem string
			if t, problem = w.launch.byHandle(handles[i]); problem != "" {
				w.fail(o, LaunchFailure, i, problem)
				return
			}
			handle = handles[i]
		}
		if t.layout != workload.Rows {
			w.texel = uint8(t.texel)
		}
		ax, ay, az := xs[i], ys[i], zs[i]
		if o.accept == hasFaces {
			var ok bool
			if ax, ay, az, ok = t.onFace(ax, ay, az); !ok {
				w.fail(o, LaunchFailure, i, fmt.Sprintf("a texture of %d planes of %d by %d texels is no cube map; valid are six square planes with normalised coordinates", t.Depth, t.Width, t.Height))
				return
			}
		}
		if t.Linear && !o.signed {
			if !t.fetchLinear(w, o, i, ax, ay, az) {
				return
			}
			continue
		}
		x, y, inside := t.texelAt(ax, ay, o.signed)
		off := 0
		w.addrs[i] = t.Addr
		if inside && o.accept != 0 {
			var plane int
			plane, inside = t.plane(az, o)
			off = plane * t.PlanePitch
		}
		if inside {
			w.addrs[i] += uint64(off) + t.place(x, y, y*t.Pitch+x*t.texel)
			off += y*t.Pitch + x*t.texel
		}
		for k, d := range o.list {
			if d == unwanted {
				continue
			}
			v := uint64(0)
			if inside && k < t.Channels {
				v = channel(t.Type, ptx.Type(o.mode), get(t.data[off+k*t.size:], uint8(t.size)))
			}
			w.regs[d][i] = v
		}
	}
}

// plane finds the plane of a layer's number or of a coordinate. Layers beyond the last are the last.
func (t *boundTexture) plane(z uint64, o *op) (plane int, inside bool) {
	switch {
	case o.accept == hasLayers || o.accept == hasFaces:
		return int(min(uint32(z), uint32(t.Depth-1))), true
	case o.signed:
		plane = int(int32(z))
		return plane, plane >= 0 && plane < t.Depth
	}
	return t.position(value32(z, false), t.Depth)
}

// texelAt finds the texel of two coordinates: numbers if integral is set, bits
// of float32 otherwise.
func (t *boundTexture) texelAt(x, y uint64, integral bool) (column, row int, inside bool) {
	if integral {
		column, row = int(int32(x)), int(int32(y))
		return column, row, column >= 0 && column < t.Width && row >= 0 && row < t.Height
	}
	if !t.Normalized && t.Mode == Clamp {
		column, okX := clamped(math.Float32frombits(uint32(x)), t.Width)
		row, okY := clamped(math.Float32frombits(uint32(y)), t.Height)
		return column, row, okX && okY
	}
	column, okX := t.position(value32(x, false), t.Width)
	row, okY := t.position(value32(y, false), t.Height)
	return column, row, okX && okY
}

// channel makes a register's value of what a texel holds.
func channel(from, to ptx.Type, v uint64) uint64 {
	v = extend(v, cut(from), from.IsSigned())
	if to != ptx.F32 || from == ptx.F32 {
		return v
	}
	if from == ptx.F16 {
		return round32(smallfloat.F16.Value(v), toNearest)
	}
	if from.Size() == 4 {
		return v
	}
	_, highest := integerRange(from)
	if from.IsSigned() {
		return round32(max(float64(int64(v))/float64(highest), -1), toNearest)
	}
	return round32(float64(v)/float64(highest), toNearest)
}
