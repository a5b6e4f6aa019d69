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
	HSpeedup: {"HSpeedup", "Harmonic mean of the normalised IPCs.", "higher"},
	OverGoal: {"IPC over goal", "Of the run's tightest goal: at 1 or above all goals were reached.", "higher"},
}

// column is one number of every point, to the four digits that the eye needs; null if it
// is undefined.
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
		text = strconv.AppendFloat(text, look.Rounded(v), 'f', -1, 64)
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
	Words    []string `json:"words"`    // of commands, a flag with its value
	// Of each point:
	Mix     []int              `json:"mix"`
	Policy  []int              `json:"policy"`
	GPU     []int              `json:"gpu"`
	Setting []int              `json:"setting"`
	Metric  [NumMetrics]column `json:"metric"`
	Tenant  []column           `json:"tenant"` // normalised IPCs, by place in the mix
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
	p := &packed{Mix: []int{}, Policy: []int{}, GPU: []int{}, Setting: []int{}, Command: [][]int{}, Tenant: []column{}, Apps: [][]int{}, ClassOf: []int{}, // no null
		Live: r.Live, Metrics: metrics, Shades: shades, Changes: changes, Pages: map[int]string{}}
	for k := range moreTints * len(look.Colours) {
		p.Colours = append(p.Colours, look.Colour(k))
	}
	var mixes, apps, classes, policies, gpus, settings, words names
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
		for len(p.Tenant) < len(x.Normalized) {
			p.Tenant = append(p.Tenant, nan(i))
		}
		for k := range p.Tenant {
			v := math.NaN()
			if k < len(x.Normalized) {
				v = x.Normalized[k]
			}
			p.Tenant[k] = append(p.Tenant[k], v)
		}
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
	p.GPUs, p.Settings, p.Words = gpus.all(), settings.all(), words.all()
	return json.Marshal(p)
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
