package headers

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/smallfloat"
)

// Floats of 8 bits are the exact numbers rounded once, whether the device has instructions for them
// (sm_90) or not, and by which the host converts too.
func TestFloatsOf8Bits(t *testing.T) {
	var in []float64
	for code := range 256 { // values, what lies between two and next to there, and beyond
		for _, f := range []*smallfloat.Format{smallfloat.E4M3, smallfloat.E5M2} {
			v, next := f.Value(uint64(code)), f.Value(uint64(code)+1)
			middle := (v + next) / 2
			in = append(in, v, middle, math.Nextafter(middle, 0), math.Nextafter(middle, 1e9), float64(math.Nextafter32(float32(middle), 0)))
		}
	}
	d := draws(12)
	for range 256 {
		in = append(in, math.Ldexp(float64(int32(d.next())), int(d.next()%40)-55))
	}
	in = append(in, 464, -465, 480, 61440, -61441, 65504, 65536, 1e300, -1e-300, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1))
	for len(in)%32 != 0 {
		in = append(in, 1)
	}
	for _, arch := range []string{"sm_70", "sm_90"} {
		t.Run(arch, func(t *testing.T) {
			const columns, valueColumns = 16, 8
			p := compile(t, "fp8.cu", "--no-cuda-gpu-arch=sm_70", "--cuda-gpu-arch="+arch)
			out := p.array(t, columns*len(in), nil)
			p.run(t, "round8", len(in)/32, 32, p.array(t, 8*len(in), in), out, uint32(columns))
			got := read[byte](t, p, out, columns*len(in))
			for i, v := range in {
				half := smallfloat.F16.Value(smallfloat.F16.Round(float64(float32(v)), smallfloat.ToNearest, false))
				bfloat := smallfloat.BF16.Value(smallfloat.BF16.Round(float64(float32(v)), smallfloat.ToNearest, false))
				var want []byte
				for _, f := range []*smallfloat.Format{smallfloat.E4M3, smallfloat.E5M2} {
					for _, saturated := range []bool{false, true} {
						for _, source := range []float64{v, float64(float32(v)), half, bfloat} {
							code := byte(f.Round(source, smallfloat.ToNearest, saturated))
							if f == smallfloat.E4M3 && !saturated && math.Abs(source) > 464 { // the middle of 448 and what would be next
								code++
							}
							want = append(want, code)
						}
					}
				}
				require.Equal(t, want, got[i*columns:(i+1)*columns], "%v (%x)", v, v)
			}
			out = p.array(t, 2*valueColumns*256, nil)
			p.run(t, "value8", 1, 256, out, uint32(valueColumns))
			values := read[uint16](t, p, out, valueColumns*256)
			number := func(f *smallfloat.Format, code int) int { // one code for all that are none
				if f.IsNaN(uint64(code)) {
					return 0x7f
				}
				return code
			}
			for code := range 256 {
				a, b := smallfloat.E4M3.Value(uint64(code)), smallfloat.E5M2.Value(uint64(code))
				low, high := number(smallfloat.E4M3, code), number(smallfloat.E4M3, code^0x31)
				back := number(smallfloat.E5M2, code)
				if code&0x7f == 0x7c {
					back-- // an infinity is saturated
				}
				want := []uint16{uint16(smallfloat.F16.Round(a, smallfloat.ToNearest, false)), uint16(smallfloat.F16.Round(b, smallfloat.ToNearest, false)),
					uint16(low), uint16(back), uint16(low | high<<8), uint16(low | high<<8), uint16(high | low<<8), uint16(low | high<<8)}
				assert.Equal(t, want, values[code*valueColumns:(code+1)*valueColumns], "%#x", code)
			}
		})
	}
}
