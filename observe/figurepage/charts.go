package figurepage

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment/reproduce"
	"cotenant/observe/look"
)

// chart is bars of some rows, as look.Drawing draws it.
type chart struct {
	ID     string           `json:"id"`
	Option map[string]any   `json:"option"` // of ECharts
	Unit   string           `json:"unit"`   // of the values, for tooltips
	Decals []map[string]any `json:"decals"` // the hatches of the series

	Title  string `json:"-"`
	Height int    `json:"-"` // in pixels
	Wide   bool   `json:"-"`
}

// The paper's bars are grey and hatched, ours have a colour.
var paperHatch = look.Lines(look.Paper, 45, 1, 4)

const paperColour = look.Slate

func ourColour() string { return look.Colour(0) }

// key explains a colour of bars.
type key struct {
	Name   string
	Colour template.CSS
}

func keys() []key {
	return []key{{"the paper", paperHatch.CSS(paperColour)}, {"ours", template.CSS(ourColour())}}
}

// group holds the rows of one chart.
type group struct {
	title, unit string
	labels      []string
	rows        []reproduce.Row
}

// others is the title of rows without a common beginning.
const others = "Others"

// groups joins rows of one unit with labels that begin alike, up to the first comma;
// single rows come last.
func groups(rows []reproduce.Row) (list []*group) {
	type kind struct{ first, unit string } // first is "" for single rows
	split := func(r reproduce.Row) (k kind, rest string) {
		first, rest, found := strings.Cut(r.Label, ", ")
		if !found {
			rest = r.Label
		}
		return kind{first, r.Unit}, rest
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r reproduce.Row) bool { return r.Ours == nil && r.Paper == nil })
	count := map[kind]int{}
	for _, r := range rows {
		k, _ := split(r)
		count[k]++
	}
	var last []*group
	known := map[kind]*group{}
	for _, r := range rows {
		k, label := split(r)
		single := count[k] == 1
		if single {
			k.first, label = "", r.Label
		}
		g := known[k]
		if g == nil {
			g = &group{title: cmp.Or(k.first, others), unit: r.Unit}
			if known[k] = g; single {
				last = append(last, g)
			} else {
				list = append(list, g)
			}
		}
		g.labels, g.rows = append(g.labels, label), append(g.rows, r)
	}
	return append(list, last...)
}

// charts are the bars of all groups.
func charts(rows []reproduce.Row) (list []chart) {
	all, narrow := groups(rows), 0
	for i, g := range all {
		c := chart{ID: "group-" + strconv.Itoa(i), Title: g.title, Unit: g.unit, Height: g.height()}
		if g.title == others && len(all) == 1 {
			c.Title = "Values"
		}
		if g.unit != "" {
			c.Title += fmt.Sprintf(", %s", g.unit)
		}
		c.Option, c.Decals = bars(g)
		c.Wide = c.Height > mostHeight
		if !c.Wide {
			narrow++
		}
		// A chart without a neighbour is wide.
		if last := i == len(all)-1 || all[i+1].height() > mostHeight; last && narrow%2 == 1 {
			c.Wide, narrow = true, 0
		}
		list = append(list, c)
	}
	return list
}

// height is the height of a group's chart in pixels. Each row has room for two bars, and for the
// lines of the longest label.
func (g *group) height() int {
	row := 34
	for _, label := range g.labels {
		row = max(row, 8+labelLine*(1+len(label)/labelChars))
	}
	return 74 + row*len(g.rows)
}

// A label's lines are labelWidth wide and labelLine high, in pixels, and hold labelChars
// characters or more.
const (
	labelWidth = 150
	labelLine  = 13
	labelChars = 23
)

// mostHeight is the height of the highest chart beside another, in pixels.
const mostHeight = 700

// bars draws a group of horizontal bars, the first row on top. A missing value has no bar.
func bars(g *group) (option map[string]any, decals []map[string]any) {
	var paper, ours []any
	published := false
	value := func(x *float64) any {
		if x == nil {
			return "-"
		}
		return look.Rounded(*x)
	}
	for _, r := range g.rows {
		paper, ours = append(paper, value(r.Paper)), append(ours, value(r.Ours))
		published = published || r.Paper != nil
	}
	series := func(name, colour string, data []any) map[string]any {
		return map[string]any{"type": "bar", "name": name, "data": data, "barMaxWidth": 12, "barMinHeight": 1, "itemStyle": map[string]any{"color": colour}}
	}
	list := []map[string]any{series("ours", ourColour(), ours)}
	decals = []map[string]any{nil}
	if published {
		list = append([]map[string]any{series("the paper", paperColour, paper)}, list...)
		decals = append([]map[string]any{paperHatch.Decal()}, decals...)
	}
	return map[string]any{
		"animation": false,
		"grid":      map[string]any{"left": 10, "right": 26, "top": 10, "bottom": 30, "containLabel": true},
		"tooltip":   map[string]any{"trigger": "axis", "confine": true},
		"xAxis":     []any{map[string]any{"type": "value"}},
		"yAxis": []any{map[string]any{"type": "category", "data": g.labels, "inverse": true,
			"axisLine": map[string]any{"onZero": true}, "axisTick": map[string]any{"show": false},
			"axisLabel": map[string]any{"interval": 0, "width": labelWidth, "overflow": "break", "lineHeight": labelLine, "fontSize": 12}}},
		"series": list,
	}, decals
}
