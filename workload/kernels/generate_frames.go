package kernels

// Frames is two grey frames of a film: a texture with detail of every size, and
// the same moved, with noise.
//
// Parts (u16): reference, and current, which shows at (x, y) what the reference
// shows at (x + MotionX, y + MotionY).
type Frames struct {
	seeded
	// Width and Height in pixels.
	Width  int `yaml:"width" range:"1..8192"`
	Height int `yaml:"height" range:"1..8192"`
	// MotionX and MotionY in pixels.
	MotionX int `yaml:"motion_x" range:"-64..64" default:"3"`
	MotionY int `yaml:"motion_y" range:"-64..64" default:"-2"`
	// Noise is how far a pixel may differ.
	Noise int `yaml:"noise" range:"0..64" default:"3"`
}

func (f *Frames) generate(place) output {
	r := f.random()
	width, height := f.Width, f.Height
	key := r.next()
	current, reference := make([]uint16, width*height), make([]uint16, width*height)
	for y := range height {
		for x := range width {
			reference[y*width+x] = uint16(texture(key, x, y))
			moved := texture(key, x+f.MotionX, y+f.MotionY) + r.below(2*f.Noise+1) - f.Noise
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
