package programs

import (
	"encoding/binary"
	"maps"
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
	ptxexec "cotenant/workload/ptx/exec"
)

// textures are what the program's texture references and objects read.
type textures struct {
	references map[string]ptxexec.Texture
	objects    []ptxexec.Texture // by handle; a destroyed one has no channels
}

// maxTextures bounds texture objects.
const maxTextures = 1 << 16

// textureWords is the size of struct cotenant_texture in words.
const textureWords = 14

// Kinds of channels and address modes, by CUDA's numbers (driver_types.h, texture_types.h).
const (
	formatSigned, formatUnsigned, formatFloat   = 0, 1, 2
	modeWrap, modeClamp, modeMirror, modeBorder = 0, 1, 2, 3
)

// textureOf reads the description of a texture, which must lie in memory.
func (s *Session) textureOf(payload []byte) (t ptxexec.Texture, e cudaError) {
	if len(payload) < 8*textureWords {
		return t, invalidValue
	}
	var w [textureWords]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(payload[8*i:])
	}
	width, height, pitch, channels, bits, format, mode := w[1], w[2], w[3], w[4], w[5], w[6], w[7]
	depth, plane := w[12], w[13]
	types := map[[2]uint64]ptx.Type{
		{8, formatSigned}: ptx.S8, {16, formatSigned}: ptx.S16, {32, formatSigned}: ptx.S32,
		{8, formatUnsigned}: ptx.U8, {16, formatUnsigned}: ptx.U16, {32, formatUnsigned}: ptx.U32, {16, formatFloat}: ptx.F16, {32, formatFloat}: ptx.F32,
	}
	kind, known := types[[2]uint64{bits, format}]
	if !known || channels != 1 && channels != 2 && channels != 4 || width < 1 || height < 1 || width > 1<<32 || height > 1<<20 || depth < 1 || depth > 1<<20 {
		return t, notSupported
	}
	t = ptxexec.Texture{Addr: w[0], Width: int(width), Height: int(height), Pitch: int(pitch), Channels: int(channels), Type: kind,
		Depth: int(depth), PlanePitch: int(plane), Array: plane > 0, Linear: w[8] != 0, Normalized: w[9] != 0}
	switch {
	case mode == modeBorder:
		t.Mode = ptxexec.Border
	case mode == modeWrap && t.Normalized:
		t.Mode = ptxexec.Wrap
	case mode == modeMirror && t.Normalized:
		t.Mode = ptxexec.Mirror
	case mode == modeWrap, mode == modeMirror, mode == modeClamp: // the first two take normalised coordinates
		t.Mode = ptxexec.Clamp
	default:
		return t, notSupported
	}
	row := width * channels * bits / 8
	if pitch == 0 {
		pitch = row
	}
	if plane == 0 {
		plane = pitch * height
	}
	if _, ok := s.rowsAt(t.Addr, pitch, row, height); !ok {
		return t, invalidValue
	}
	if _, ok := s.rowsAt(t.Addr, plane, pitch*(height-1)+row, depth); !ok {
		return t, invalidValue
	}
	return t, success
}

func (s *Session) createTexture(r *request) (*workload.Op, error) {
	t, e := s.textureOf(r.payload)
	if e != success {
		return s.refuse(e)
	}
	if len(s.textures.objects) == maxTextures {
		return s.refuse(outOfMemory)
	}
	s.textures.objects = append(s.textures.objects, t)
	return s.give(uint64(len(s.textures.objects)))
}

func (s *Session) destroyTexture(r *request) (*workload.Op, error) {
	if n := r.args[0]; n < 1 || n > uint64(len(s.textures.objects)) {
		return s.refuse(invalidValue)
	}
	s.textures.objects[r.args[0]-1] = ptxexec.Texture{}
	return nil, nil
}

// bindTexture lets a reference, which the payload names behind the texture, read memory.
func (s *Session) bindTexture(r *request) (*workload.Op, error) {
	t, e := s.textureOf(r.payload)
	if e != success {
		return s.refuse(e)
	}
	s.textures.references[string(r.payload[8*textureWords:])] = t
	return nil, nil
}

// named are the textures of references, for a launch. The memory of one may have been freed.
func (s *Session) named() map[string]ptxexec.Texture {
	named := maps.Clone(s.textures.references)
	maps.DeleteFunc(named, func(_ string, t ptxexec.Texture) bool { return !s.alive(t) })
	return named
}

// objects are the texture objects, for a launch. The memory of one may have been freed.
func (s *Session) objects() []ptxexec.Texture {
	list := slices.Clone(s.textures.objects)
	for i, t := range list {
		if !s.alive(t) {
			list[i] = ptxexec.Texture{}
		}
	}
	return list
}

// alive reports whether the memory of a texture is allocated.
func (s *Session) alive(t ptxexec.Texture) bool {
	_, _, ok := s.memory.Extent(t.Addr)
	return ok
}
