package traceg

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/stretchr/testify/require"
)

// alu and scattered are bodies of warps for the benchmarks: straight code
// without addresses, and loads with lanes anywhere within 256 MB.
func alu(int) string {
	var b strings.Builder
	for pc := range 256 {
		fmt.Fprintf(&b, "%04x ffffffff 1 R%d FFMA 3 R2 R3 R4 0 0 \n", 16*pc, pc%8)
	}
	return b.String()
}

func scattered(warp int) string {
	r := rand.New(rand.NewSource(int64(warp)))
	var b strings.Builder
	for pc := range 256 {
		fmt.Fprintf(&b, "%04x ffffffff 1 R%d LDG.E 1 R2 4 2 0x7f%010x ", 16*pc, pc%8, 4*r.Intn(1<<26))
		for range 31 {
			fmt.Fprintf(&b, "%d ", 4*(r.Intn(1<<26)-1<<25))
		}
		b.WriteString("0 \n")
	}
	return b.String()
}

// mixed is the vector addition of the samples: 17 instructions, 3 accesses.
func mixed(warp int) string {
	var b strings.Builder
	for i := range 16 {
		a := 0x7fb0fc400000 + (warp*16+i)*128
		fmt.Fprintf(&b, `0000 ffffffff 1 R1 MOV 0 0 0 
0010 ffffffff 1 R6 S2R 0 0 0 
0020 ffffffff 1 R3 S2R 0 0 0 
0030 ffffffff 1 R6 IMAD 2 R6 R3 0 0 
0040 ffffffff 0 ISETP.GE.AND 1 R6 0 0 
0050 00000000 0 EXIT 0 0 0 
0060 ffffffff 1 R7 HFMA2.MMA 2 R255 R255 0 0 
0070 ffffffff 0 ULDC.64 0 0 0 
0080 ffffffff 1 R4 IMAD.WIDE 2 R6 R7 0 0 
0090 ffffffff 1 R2 IMAD.WIDE 2 R6 R7 0 0 
00a0 ffffffff 1 R4 LDG.E 1 R4 4 1 0x%x 4 0 
00b0 ffffffff 1 R3 LDG.E 1 R2 4 1 0x%x 4 0 
00c0 ffffffff 1 R6 IMAD.WIDE 2 R6 R7 0 0 
00d0 ffffffff 1 R0 FADD 2 R4 R3 0 0 
00e0 ffffffff 1 R9 FADD 2 R255 R0 0 0 
00f0 ffffffff 0 STG.E 2 R6 R9 4 1 0x%x 4 0 
`, a, a+200000, a+400000)
	}
	return b.String()
}

// bodies are 256 instructions for each of 8 warps.
var bodies = []struct {
	name string
	body func(warp int) string
}{{"alu", alu}, {"mixed", mixed}, {"scattered", scattered}}

// text is a trace of tbs thread blocks of 8 warps of 256 instructions and EXIT.
func text(tbs int, body func(warp int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-kernel name = k\n-grid dim = (%d,1,1)\n-block dim = (256,1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 80\n-accelsim tracer version = 5\n", tbs)
	for tb := range tbs {
		fmt.Fprintf(&b, "\n#BEGIN_TB\n\nthread block = %d,0,0\n", tb)
		for w := range 8 {
			fmt.Fprintf(&b, "\nwarp = %d\ninsts = 257\n%sfff0 ffffffff 0 EXIT 0 0 0 \n", w, body(w+8*tb))
		}
		b.WriteString("\n#END_TB\n")
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	const tbs = 16
	for _, c := range bodies {
		b.Run(c.name, func(b *testing.B) {
			t := text(tbs, c.body)
			b.SetBytes(int64(len(t)))
			for b.Loop() {
				l, err := openText(t)
				require.NoError(b, err)
				var tb workload.TB
				for range tbs {
					if err := l.Next(&tb); err != nil {
						b.Fatal(err)
					}
					l.Recycle(&tb)
				}
			}
			b.ReportMetric(float64(tbs*8*256)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

func BenchmarkFetch(b *testing.B) {
	for _, c := range bodies {
		b.Run(c.name, func(b *testing.B) {
			l, err := openText(text(1, c.body))
			require.NoError(b, err)
			var tb workload.TB
			require.NoError(b, l.Next(&tb))
			inst := new(workload.Inst)
			for b.Loop() {
				for _, w := range tb.Warps {
					s := w.(*packed.Stream)
					start := *s
					for s.Fetch(inst) {
					}
					*s = start
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/(8*256), "ns/inst")
		})
	}
}
