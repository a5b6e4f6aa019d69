package reproduce

// The applications of the SMK paper by class (6.1).
var (
	compute = []string{"cutcp", "mri-q", "sgemm", "tpacf"}
	memory  = []string{"histo", "lbm", "mri-gridding", "sad", "spmv", "stencil"}
)

// group is a set of mixes that a paper reports together.
type oldGroup struct {
	name  string
	mixes [][]string // of application names
}
