package kernels

// Frames is two grey frames of a film: a texture with detail of every size, and
// the same moved, with noise.
//
// Parts (u16): reference, and current, which shows at (x, y) what the reference
// shows at (x + MotionX, y + MotionY).
type Frames struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Width and Height in pixels, 1 to 8192. Required.
	Width  Expr `yaml:"width"`
	Height Expr `yaml:"height"`
	// MotionX and MotionY are -64 to 64 pixels. Default 3 and -2.
	MotionX Expr `yaml:"motion_x"`
	MotionY Expr `yaml:"motion_y"`
	// Noise is how far a pixel may differ, 0 to 64. Default 3.
	Noise Expr `yaml:"noise"`
}

func (f *Frames) generate(a *args) output {
	r := a.seed(&f.Seed)
	width := a.whole("width", &f.Width, 1, 8192, 0)
	height := a.whole("height", &f.Height, 1, 8192, 0)
	motionX := a.whole("motion_x", &f.MotionX, -64, 64, 3)
	motionY := a.whole("motion_y", &f.MotionY, -64, 64, -2)
	noise := a.whole("noise", &f.Noise, 0, 64, 3)
	if a.err != nil {
		return output{}
	}
	key := r.next()
	current, reference := make([]uint16, width*height), make([]uint16, width*height)
	for y := range height {
		for x := range width {
			reference[y*width+x] = uint16(texture(key, x, y))
			moved := texture(key, x+motionX, y+motionY) + r.below(2*noise+1) - noise
			current[y*width+x] = uint16(min(max(moved, 0), 255))
		}
	}
	return output{parts: []part{{"current", current}, {"reference", reference}}}
}

// texture is the brightness of a point, 0 to 255: noise at the corners of
// squares of 32, 16, 8, 4 and 2 pixels, blended between them, each of them half
// as strong as the one before.
func texture(key uint64, x, y int) int {
	const octaves = 5
	sum := 0
	for o := range octaves {
		shift := octaves - o
		cell := 1 << shift
		cx, cy := x>>shift, y>>shift
		fx, fy := x&(cell-1), y&(cell-1)
		corner := func(dx, dy int) int {
			r := random(key + uint64(o)<<56 + uint64(uint32(cx+dx)) + uint64(uint32(cy+dy))<<24)
			return r.below(256)
		}
		top := corner(0, 0)*(cell-fx) + corner(1, 0)*fx
		bottom := corner(0, 1)*(cell-fx) + corner(1, 1)*fx
		sum += (top*(cell-fy) + bottom*fy) << (octaves - o) >> (2 * shift)
	}
	return sum / 62
}
