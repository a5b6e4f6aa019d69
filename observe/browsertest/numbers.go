package browsertest

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reading holds what the steps of Render can read a page with. cells are the texts of a table's
// rows, series the names and values that a chart draws, tips the texts that the reader gets of a
// chart's points, and further the texts with digits outside elements that a query finds, outside
// charts and outside what is hidden.
const Reading = `
const cells = (rows) => [...rows].map((r) => [...r.cells].map((c) => c.textContent.trim()));
const chartOf = (place) => echarts.getInstanceByDom(typeof place === "string" ? document.getElementById(place) : place);
const series = (place) => chartOf(place).getOption().series.map((s) => ({ name: s.name ?? "", data: (s.data ?? []).map((d) => d?.value ?? d) }));
const tips = (place) => {
  const option = chartOf(place).getOption(), text = option.tooltip[0].formatter;
  return option.series.map((s, seriesIndex) => s.silent ? [] : (s.data ?? []).map((data, dataIndex) => text({ seriesIndex, dataIndex, data, value: data?.value ?? data, seriesName: s.name })));
};
const further = (query) => {
  const list = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (/\d/.test(text) && at.checkVisibility() && !at.closest("script, style, .chart") && !(query && at.closest(query))) list.push(text);
  }
  return list;
};
`

// numbers of a text.
var numbers = regexp.MustCompile(`[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?`)

// ShowsNumber reports whether a text is a number, rounded to the digits that it has, once seven
// digits of the number were kept. Its thousands may be parted by commas.
func ShowsNumber(text string, v float64) bool {
	plain := strings.ReplaceAll(text, ",", "")
	x, err := strconv.ParseFloat(plain, 64)
	_, fraction, _ := strings.Cut(plain, ".")
	return err == nil && math.Abs(x-v) <= 0.5000001*math.Pow10(-len(fraction))+1e-7*math.Abs(v) && (len(fraction) > 0 || x == math.Round(v))
}

// Differences lists where a tree of a page's lists, objects, texts and numbers differs from the
// tree that is wanted. A text shows the wanted number as ShowsNumber has it, and a wanted text if
// the texts between its numbers are the same and each of its numbers shows the wanted one. A
// number is the wanted one to six digits, or to the four that look.Rounded leaves if digits is 4.
func Differences(found, want any, digits int) (list []string) {
	d := &differences{digits: digits, note: func(path string, found, want any) {
		list = append(list, fmt.Sprintf("%s is %.80v, not %.80v", path, found, want))
	}}
	d.walk("", found, want)
	return list
}

// differences of two trees; note is called with each.
type differences struct {
	digits int
	first  bool // is enough
	found  bool
	note   func(path string, found, want any)
}

func (d *differences) add(path string, found, want any) {
	if d.found = true; d.note != nil {
		d.note(path, found, want)
	}
}

func (d *differences) walk(path string, found, want any) {
	if d.first && d.found {
		return
	}
	switch w := want.(type) {
	case map[string]any:
		f, ok := found.(map[string]any)
		if !ok {
			d.add(path, found, want)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(f)) {
			if _, ok := w[key]; !ok {
				d.add(path+"."+key, f[key], "nothing")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			d.walk(path+"."+key, f[key], w[key])
		}
	case []any:
		f, ok := found.([]any)
		if !ok || len(f) != len(w) {
			d.add(path, found, want)
			return
		}
		for i := range w {
			d.walk(path+"."+strconv.Itoa(i), f[i], w[i])
		}
	case float64:
		switch f := found.(type) {
		case string:
			if !ShowsNumber(f, w) {
				d.add(path, found, want)
			}
		case float64:
			if math.Abs(f-w) > 0.51*math.Pow10(1-d.digits)*math.Abs(w)+1e-12 {
				d.add(path, found, want)
			}
		default:
			d.add(path, found, want)
		}
	case string:
		if f, ok := found.(string); !ok || f != w && !sameNumbers(f, w) {
			d.add(path, found, want)
		}
	default:
		if found != want {
			d.add(path, found, want)
		}
	}
}

// sameNumbers reports whether a text shows each number of another, and is equal between them.
func sameNumbers(found, want string) bool {
	shown, exact := numbers.FindAllString(found, -1), numbers.FindAllString(want, -1)
	if len(shown) != len(exact) || numbers.ReplaceAllString(found, "#") != numbers.ReplaceAllString(want, "#") {
		return false
	}
	for i, text := range exact {
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if shown[i] != text && (err != nil || !ShowsNumber(shown[i], v)) {
			return false
		}
	}
	return true
}

// RequireTold requires that a page shows the tree that want makes of a result. It then changes one
// number after the other, on the page, in texts too, and in the result, and requires a difference
// each time. The trees have the types that encoding/json decodes into an any; digits is the
// parameter of Differences. Unseen lists paths of the result's numbers on which nothing on the
// page depends, such as .0.ipc.
func RequireTold(t *testing.T, found any, result any, want func() any, digits int, unseen ...string) {
	t.Helper()
	wanted := want()
	wrong := Differences(found, wanted, digits)
	require.Empty(t, wrong[:min(len(wrong), 12)])
	n := 0
	for round := 0; ; round++ {
		// A difference is of one leaf, so that many can be changed at a time: of each text one
		// number.
		changed := map[string]bool{}
		other := withOthers("", found, round, changed)
		if len(changed) == 0 {
			break
		}
		n += len(changed)
		d := &differences{digits: digits, note: func(path string, _, _ any) { delete(changed, path) }}
		d.walk("", other, wanted)
		require.Empty(t, slices.Sorted(maps.Keys(changed)), "another number %d there is not told", round)
	}
	require.Positive(t, n, "no number was found")
	n = 0
	change("", result, func(path string) {
		n++
		d := &differences{digits: digits, first: true}
		d.walk("", found, want())
		require.Equal(t, !slices.Contains(unseen, path), d.found, "another number of the result at %s is not told", path)
	})
	require.Positive(t, n, "the result has no number")
}

// withOthers is a tree with other numbers, and with another number in each text: the first for 0.
// Changed gets the paths.
func withOthers(path string, tree any, number int, changed map[string]bool) any {
	switch v := tree.(type) {
	case map[string]any:
		other := map[string]any{}
		for key, value := range v {
			other[key] = withOthers(path+"."+key, value, number, changed)
		}
		return other
	case []any:
		other := []any{}
		for i, value := range v {
			other = append(other, withOthers(path+"."+strconv.Itoa(i), value, number, changed))
		}
		return other
	case float64:
		if number == 0 {
			changed[path] = true
			return v*1.01 + 1
		}
	case string:
		if all := numbers.FindAllStringIndex(v, -1); number < len(all) {
			changed[path] = true
			last := all[number][1] - 1
			return v[:last] + string('0'+(v[last]-'0'+5)%10) + v[last+1:]
		}
	}
	return tree
}

// change calls f with one number of a tree changed after the other.
func change(path string, tree any, f func(path string)) {
	inside := func(path string, v any, set func(any)) {
		if number, ok := v.(float64); ok {
			set(number*1.01 + 1)
			f(path)
			set(number)
			return
		}
		change(path, v, f)
	}
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			inside(path+"."+key, tree[key], func(v any) { tree[key] = v })
		}
	case []any:
		for i := range tree {
			inside(path+"."+strconv.Itoa(i), tree[i], func(v any) { tree[i] = v })
		}
	}
}
