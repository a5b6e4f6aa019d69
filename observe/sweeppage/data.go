package sweeppage

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"cotenant/observe/look"
)

// metrics are the descriptions of metrics for the page.
var metrics = [NumMetrics]struct {
	Name   string `json:"name"`
	About  string `json:"about"`
	Better string `json:"better"` // higher or lower
}{
	STP:      {"STP", "System throughput: the sum of the normalised IPCs.", "higher"},
	ANTT:     {"ANTT", "Mean normalised turnaround time: what sharing costs a tenant on average.", "lower"},
	Fairness: {"Fairness", "Smallest over largest normalised IPC.", "higher"},
	TotalIPC: {"Total IPC", "Thread instructions of all applications per core cycle: no run alone is in it.", "higher"},
	HSpeedup: {"HSpeedup", "Harmonic mean of the normalised IPCs.", "higher"},
	OverGoal: {"IPC over goal", "Of the run's tightest goal: at 1 or above all goals were reached.", "higher"},
}

// column is one number of every point, to the seven digits of a float32, so that means of
// many points are right; null if it is undefined.
type column []float64

// MarshalJSON writes the numbers in their shortest form.
func (c column) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, v := range c {
		if i > 0 {
			text = append(text, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			text = append(text, "null"...)
			continue
		}
		text = strconv.AppendFloat(text, v, 'g', -1, 32)
	}
	return append(text, ']'), nil
}

// names numbers common texts of points, in the order of their first occurrence.
type names struct {
	list   []string
	number map[string]int
}

func (n *names) of(name string) int {
	i, ok := n.number[name]
	if !ok {
		if n.number == nil {
			n.number = map[string]int{}
		}
		i = len(n.list)
		n.number[name], n.list = i, append(n.list, name)
	}
	return i
}

// all are the names, by number.
func (n *names) all() []string { return append([]string{}, n.list...) }

// packed holds the points in the page's form: by column, with common texts stated once.
type packed struct {
	Live     string   `json:"live"`
	Metrics  any      `json:"metrics"`
	Colours  []string `json:"colours"`
	Shades   []string `json:"shades"`   // from worse to better
	Changes  []string `json:"changes"`  // likewise, around no change
	Mixes    []string `json:"mixes"`    // by number
	Apps     [][]int  `json:"apps"`     // of each mix, as numbers of Names
	Names    []string `json:"names"`    // of applications
	Classes  []string `json:"classes"`  // by number
	ClassOf  []int    `json:"classOf"`  // of each mix
	Policies []string `json:"policies"` // by number
	GPUs     []string `json:"gpus"`     // likewise
	Settings []string `json:"settings"` // likewise
	Grounds  []string `json:"grounds"`  // GPUs on which applications ran alone, by number
	Words    []string `json:"words"`    // of commands, a flag with its value
	// Of each point:
	Mix     []int              `json:"mix"`
	Ground  []int              `json:"ground"`
	Alike   []int              `json:"alike"` // equal numbers: the runs alone differ by their GPU alone
	Policy  []int              `json:"policy"`
	GPU     []int              `json:"gpu"`
	Setting []int              `json:"setting"`
	Metric  [NumMetrics]column `json:"metric"`
	Tenant  []column           `json:"tenant"` // normalised IPCs, by place in the mix
	IPC     []column           `json:"ipc"`    // likewise
	Alone   []column           `json:"alone"`  // likewise: IPCs alone
	Command [][]int            `json:"command"`
	Pages   map[int]string     `json:"pages"` // by number of the point
}

// shades lead from worse to better, in one hue; changes lead around no change, in two hues
// that all readers tell apart. Both also differ by lightness.
var (
	shades  = []string{"#f3f6fa", "#a9c8e3", "#4f93c6", "#12538f", "#08264d"}
	changes = []string{"#7a3d00", "#c9711c", "#f3c98f", "#f7f7f7", "#9cc7e6", "#2f7fb8", "#0b3c6f"}
)

// moreTints is the number of lighter repetitions of the colours.
const moreTints = 3

// Data is the JSON for the page's script.
func Data(r *Report) ([]byte, error) {
	p := &packed{Mix: []int{}, Policy: []int{}, GPU: []int{}, Setting: []int{}, Command: [][]int{}, Tenant: []column{}, IPC: []column{}, Alone: []column{}, Ground: []int{}, Alike: []int{}, Apps: [][]int{}, ClassOf: []int{}, // no null
		Live: r.Live, Metrics: metrics, Shades: shades, Changes: changes, Pages: map[int]string{}}
	for k := range moreTints * len(look.Colours) {
		p.Colours = append(p.Colours, look.Colour(k))
	}
	var mixes, apps, classes, policies, gpus, settings, words, grounds, alike names
	for i := range r.Points {
		x := &r.Points[i]
		mix := mixes.of(strings.Join(x.Mix, " + "))
		if mix == len(p.Apps) {
			var numbers []int
			for _, name := range x.Mix {
				numbers = append(numbers, apps.of(name))
			}
			p.Apps, p.ClassOf = append(p.Apps, numbers), append(p.ClassOf, classes.of(x.Class))
		}
		p.Mix, p.Policy = append(p.Mix, mix), append(p.Policy, policies.of(x.Policy))
		p.GPU, p.Setting = append(p.GPU, gpus.of(x.GPU)), append(p.Setting, settings.of(x.Setting))
		for m, v := range x.Metrics {
			p.Metric[m] = append(p.Metric[m], v)
		}
		p.Ground, p.Alike = append(p.Ground, grounds.of(x.IsolatedOn)), append(p.Alike, alike.of(x.Alike))
		p.Tenant, p.IPC, p.Alone = placed(p.Tenant, i, x.Normalized), placed(p.IPC, i, x.IPC), placed(p.Alone, i, x.Isolated)
		var command []int
		for _, word := range withValues(x.Command) {
			command = append(command, words.of(word))
		}
		p.Command = append(p.Command, command)
		if x.Page != "" {
			p.Pages[i] = x.Page
		}
	}
	p.Mixes, p.Names, p.Classes, p.Policies = mixes.all(), apps.all(), classes.all(), policies.all()
	p.GPUs, p.Settings, p.Words, p.Grounds = gpus.all(), settings.all(), words.all(), grounds.all()
	return json.Marshal(p)
}

// placed appends a point's values, by place in the mix, to columns of n points.
func placed(columns []column, n int, values []float64) []column {
	for len(columns) < len(values) {
		columns = append(columns, nan(n))
	}
	for k := range columns {
		v := math.NaN()
		if k < len(values) {
			v = values[k]
		}
		columns[k] = append(columns[k], v)
	}
	return columns
}

func nan(n int) column {
	c := make(column, n)
	for i := range c {
		c[i] = math.NaN()
	}
	return c
}

// withValues joins flags with their values, to have fewer words.
func withValues(words []string) (list []string) {
	for i, word := range words {
		if i > 0 && strings.HasPrefix(words[i-1], "--") && !strings.HasPrefix(word, "--") {
			list[len(list)-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}
