package strictyaml

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// house is a document with a field of every type that Decode knows.
type house struct {
	Name   string  `yaml:"name"`
	Floors int     `yaml:"floors"`
	Height float64 `yaml:"height"`
	Sold   bool    `yaml:"sold"`
	Colour colour  `yaml:"colour"`
	Roof   roof    `yaml:"roof"`
	Rooms  []room  `yaml:"rooms"`
	Garden *garden `yaml:"garden"`
	Seen   int     `yaml:"-"`
	Owner  string
}

type roof struct {
	Tiles int   `yaml:"tiles"`
	Rows  []int `yaml:"rows"`
}

type room struct {
	Doors int `yaml:"doors"`
}

func (r *room) SetDefaults() { r.Doors = 1 }

type garden struct {
	Trees  int `yaml:"trees"`
	Fences int `yaml:"fences"`
}

func (g *garden) SetDefaults() { *g = garden{Fences: 4} }

type colour int64

func (c *colour) Takes() string { return "red or blue" }

func (c *colour) UnmarshalText(text []byte) error {
	i := strings.Index("red blue", string(text))
	if i < 0 {
		return errors.New("no colour")
	}
	*c = colour(i)
	return nil
}

var houses = Format{
	Noun: "a house", Start: "a house begins with its name", Root: "the house",
}

func decode(f *Format, text string, out any) (Positions, error) {
	doc, err := f.Parse("h.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	at := Positions{}
	return at, doc.Decode(out, at)
}

const everything = `name: home
floors: 2
height: 7.5
sold: true
colour: blue
roof: {tiles: 900, rows: [30, 30]}
rooms:
  - doors: 3
  - {}
garden:
  trees: 5
`

func TestEveryTypeIsRead(t *testing.T) {
	var h house
	_, err := decode(&houses, everything, &h)
	require.NoError(t, err)
	assert.Equal(t, house{Name: "home", Floors: 2, Height: 7.5, Sold: true, Colour: 4, Roof: roof{900, []int{30, 30}},
		Rooms: []room{{3}, {1}}, Garden: &garden{5, 4}}, h)
}

// fence may be written as its height alone.
type fenced struct {
	Fence fence `yaml:"fence"`
}

type fence struct {
	Height int  `yaml:"-"`
	Room   room `yaml:"room"`
}

func (f *fence) Short() any { return &f.Height }

func TestAStructMayBeWrittenAsAScalar(t *testing.T) {
	var f fenced
	at, err := decode(&houses, "fence: 3", &f)
	require.NoError(t, err)
	require.Equal(t, fenced{fence{Height: 3}}, f)
	require.Equal(t, 1, at["fence"].Line)
	_, err = decode(&houses, "fence: {room: {doors: 2}}", &f)
	require.NoError(t, err)
	require.Equal(t, 2, f.Fence.Room.Doors)
	_, err = decode(&houses, "fence: 1.2e1", &f)
	require.NoError(t, err)
	require.Equal(t, 12, f.Fence.Height, "a whole number, however it is written")
	_, err = decode(&houses, "fence: high", &f)
	require.ErrorContains(t, err, `fence is "high"; it takes a whole number`)
}

// steps may be written as a number of rooms without doors.
type steps []room

func (s *steps) Short() any { *s = steps{{}}; return &(*s)[0].Doors }

func (s *steps) Takes() string { return "a number or a list of rooms" }

func TestAListMayBeWrittenAsAScalar(t *testing.T) {
	type stairs struct {
		Steps steps `yaml:"steps"`
	}
	for text, want := range map[string]steps{"3": {{3}}, "[{doors: 2}, {}]": {{2}, {1}}, "[]": {}} {
		s := stairs{steps{{7}, {7}}}
		at, err := decode(&houses, "steps: "+text, &s)
		require.NoError(t, err)
		require.Equal(t, want, s.Steps)
		require.Equal(t, 1, at["steps"].Line)
	}
	for text, want := range map[string]string{
		"many": `steps is "many"; it takes a number or a list of rooms`, "{doors: 1}": "steps is a mapping; it takes a number or a list of rooms",
		"": "steps is empty; it takes a number or a list of rooms", "[1]": `steps[0] is "1"; it takes the keys doors`,
	} {
		_, err := decode(&houses, "steps: "+text, &stairs{})
		require.EqualError(t, err, "h.yaml:1: "+want)
	}
}

func TestEntriesOfATakenMappingAreDecodedUnderTheirNames(t *testing.T) {
	doc, err := houses.Parse("h.yaml", []byte("doors: 1\nkinds:\n  wide: {doors: 4}\n  narrow:\n    windows: 1\n"))
	require.NoError(t, err)
	list, err := doc.Entries(doc.Take("kinds"), "kinds")
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []any{"wide", Position{"h.yaml", 3}, "narrow", Position{"h.yaml", 4}}, []any{list[0].Name, list[0].At, list[1].Name, list[1].At})
	at, r := Positions{}, room{}
	require.NoError(t, list[0].Decode(&r, at))
	require.Equal(t, room{4}, r)
	require.Equal(t, Position{"h.yaml", 3}, at["kinds.wide.doors"])
	require.EqualError(t, list[1].Decode(&r, at), `h.yaml:5: unknown key "windows" in kinds.narrow; valid keys: doors`)
}

func TestEveryFaultNamesItsLineAndWhatIsValid(t *testing.T) {
	const keys = "name, floors, height, sold, colour, roof, rooms, garden"
	for text, want := range map[string]string{
		"":                              ": is empty; a house begins with its name",
		"# nothing":                     ": is empty; a house begins with its name",
		"name: [":                       ":1: is not YAML: did not find expected node content",
		"name: [a?b=1, c]":              ":1: is not YAML: did not find expected ',' or ']'; between [ and ] commas separate entries, and an entry with a ? or : in it takes quotes",
		"a: *b":                         ": is not YAML: unknown anchor 'b' referenced",
		"name: a\n---\nname: b":         ":2: a second document starts here; a house is one document",
		"name: a\n---\n\tx: 1":          ":3: is not YAML: found character that cannot start any token",
		"- a":                           ":1: the house is a list; it takes the keys " + keys,
		"name: a\nflors: 1":             `:2: unknown key "flors" in the house; valid keys: ` + keys,
		"Owner: me":                     `:1: unknown key "Owner" in the house; valid keys: ` + keys,
		"\"-\": 1":                      `:1: unknown key "-" in the house; valid keys: ` + keys,
		"? [a]\n: 1":                    `:1: unknown key "" in the house; valid keys: ` + keys,
		"name: &floors a\n*floors : 1":  `:2: unknown key "floors" in the house; valid keys: ` + keys,
		"roof:\n  tile: 1":              `:2: unknown key "tile" in roof; valid keys: tiles, rows`,
		"rooms: [{}, {x: 1}]":           `:1: unknown key "x" in rooms[1]; valid keys: doors`,
		"roof: {tiles: 1,\n tiles: 2}":  ":2: roof.tiles is given twice; once is enough",
		"name: &n a\nroof: {tiles: *n}": ":2: roof.tiles is an alias; write the value out",
		"roof: 3":                       `:1: roof is "3"; it takes the keys tiles, rows`,
		"roof: '{is} {keys}'":           `:1: roof is "{is} {keys}"; it takes the keys tiles, rows`,
		"garden:":                       ":1: garden is empty; it takes the keys trees, fences",
		"rooms: {doors: 1}":             ":1: rooms is a mapping; it takes a list, such as [a, b]",
		"roof: {rows: [1,\n x]}":        `:2: roof.rows[1] is "x"; it takes a whole number`,
		"name: 3":                       `:1: name is "3"; it takes text`,
		"name: [a]":                     ":1: name is a list; it takes text",
		"floors: 1.5":                   `:1: floors is "1.5"; it takes a whole number`,
		"floors:":                       ":1: floors is empty; it takes a whole number",
		"floors: 99999999999999999999":  `:1: floors is "99999999999999999999"; it takes a whole number`,
		"floors: !!int two":             `:1: floors is "two"; it takes a whole number`,
		"height: tall":                  `:1: height is "tall"; it takes a number`,
		"sold: 1":                       `:1: sold is "1"; it takes true or false`,
		"colour: pink":                  `:1: colour is "pink"; it takes red or blue`,
		"colour: {}":                    ":1: colour is a mapping; it takes red or blue",
		strings.Repeat("#", MaxBytes+1): ": is larger than 1 MiB; a house is a short text",
	} {
		_, err := decode(&houses, text, &house{})
		assert.EqualError(t, err, "h.yaml"+want)
		var fault *workload.InputError
		assert.True(t, errors.As(err, &fault))
	}
}

func TestRootWithoutANameIsLeftOut(t *testing.T) {
	f := houses
	f.Root = ""
	_, err := decode(&f, "x: 1", &room{})
	assert.EqualError(t, err, `h.yaml:1: unknown key "x"; valid keys: doors`)
	_, err = decode(&f, "[]", &room{})
	assert.EqualError(t, err, "h.yaml:1: is a list; it takes the keys doors")
}

func TestAnyTextTakesAnyScalarButNull(t *testing.T) {
	f := houses
	f.AnyText = true
	for text, want := range map[string]string{"3": "3", "1.50": "1.50", "yes": "yes", "true": "true", "''": ""} {
		var h house
		_, err := decode(&f, "name: "+text, &h)
		require.NoError(t, err)
		assert.Equal(t, want, h.Name)
	}
	for text, want := range map[string]string{"": "is empty; it takes text", "~": `is "~"; it takes text`, "{}": "is a mapping; it takes text"} {
		_, err := decode(&f, "name: "+text, &house{})
		assert.EqualError(t, err, "h.yaml:1: name "+want)
	}
}

func TestDocumentIsWrittenOverAnother(t *testing.T) {
	var h house
	at := Positions{}
	for _, layer := range []struct{ file, text string }{
		{"base.yaml", everything},
		{"top.yaml", "floors: 3\nroof: {tiles: 800}\nrooms: [{}]\ngarden: {trees: 6}\n"},
	} {
		doc, err := houses.Parse(layer.file, []byte(layer.text))
		require.NoError(t, err)
		require.NoError(t, doc.Decode(&h, at))
	}
	// Mappings are merged and lists replaced; what has defaults starts anew.
	assert.Equal(t, house{Name: "home", Floors: 3, Height: 7.5, Sold: true, Colour: 4, Roof: roof{800, []int{30, 30}},
		Rooms: []room{{1}}, Garden: &garden{6, 4}}, h)
	assert.Equal(t, Position{"top.yaml", 2}, at["roof.tiles"])
	assert.Equal(t, Position{"base.yaml", 6}, at["roof.rows[1]"])
}

func TestNearestPositionIsThatOfWhatIsAround(t *testing.T) {
	at, err := decode(&houses, everything, &house{})
	require.NoError(t, err)
	for path, line := range map[string]int{"floors": 2, "rooms[0].doors": 8, "rooms[1].doors": 9, "rooms[7].doors": 8, "garden.fences": 11, "roof.rows[1].x": 6, "nothing": 1, "": 1} {
		assert.Equal(t, Position{"h.yaml", line}, at.Nearest(path), path)
	}
	assert.EqualError(t, at.Nearest("floors").Errorf("floors is %d", 2), "h.yaml:2: floors is 2")
	assert.Zero(t, Positions{}.Nearest("roof.tiles"))
}

func TestTakenKeyIsValidOnce(t *testing.T) {
	doc, err := houses.Parse("h.yaml", []byte("doors: 2\nlike: other\n"))
	require.NoError(t, err)
	like := doc.Take("like")
	assert.Equal(t, "other", like.Value)
	assert.Equal(t, Position{"h.yaml", 2}, doc.At(like))
	var r room
	require.NoError(t, doc.Decode(&r, Positions{}))
	assert.Equal(t, room{2}, r)

	doc, err = houses.Parse("h.yaml", []byte("like: other\nlike: another\n"))
	require.NoError(t, err)
	assert.Equal(t, "other", doc.Take("like").Value)
	assert.EqualError(t, doc.Decode(&r, Positions{}), `h.yaml:2: like is given twice; once is enough`)
}

func TestAMappingWithoutKeysSaysThatItTakesNone(t *testing.T) {
	type empty struct{}
	for text, want := range map[string]string{
		"room: 3": "h.yaml:1: room takes no keys; leave it out", "room: {door: 1}": "h.yaml:1: room takes no keys; leave it out", "room: {}": "",
	} {
		doc, err := houses.Parse("h.yaml", []byte(text))
		require.NoError(t, err)
		err = doc.Decode(&struct {
			Room empty `yaml:"room"`
		}{}, Positions{})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

func TestTakeOfAKeyThatIsNotThereIsNil(t *testing.T) {
	for _, text := range []string{"doors: 2", "name: &like a\n*like : 3", "[like, 3]", "like"} {
		doc, err := houses.Parse("h.yaml", []byte(text))
		require.NoError(t, err)
		assert.Nil(t, doc.Take("like"), text)
	}
}

func TestReadFileLeavesTheNameToTheMessage(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFile(filepath.Join(dir, "missing"))
	assert.EqualError(t, err, "no such file or directory")
	_, err = ReadFile(dir)
	assert.EqualError(t, err, "is a directory")

	large := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(large, make([]byte, 2*MaxBytes), 0o600))
	_, err = ReadFile(large)
	assert.EqualError(t, err, "it is larger than 1 MiB")
}

// closet is a mapping of keys that are known only when the program runs.
type closet map[string]*room

func (closet) Keys() []string { return []string{"left", "right"} }

func (s *closet) Value(key string) any {
	if *s == nil {
		*s = closet{}
	}
	if (*s)[key] == nil {
		(*s)[key] = &room{}
	}
	return (*s)[key]
}

func (s *closet) Off(key string) { delete(*s, key) }

// castle is a struct with another's fields, and one more.
type castle struct {
	Roof  `yaml:",inline"`
	Tower Roof `yaml:"tower"`
}

// Roof is exported, as an embedded struct must be for its fields to be set.
type Roof struct {
	Tiles int   `yaml:"tiles"`
	Rows  []int `yaml:"rows"`
}

func TestKeysMayBeKnownOnlyWhenTheProgramRuns(t *testing.T) {
	var h struct {
		Shelf closet `yaml:"shelf"`
	}
	at, err := decode(&houses, "shelf:\n  left: {}\n  right:\n    doors: 3\n", &h)
	require.NoError(t, err)
	assert.Equal(t, closet{"left": {1}, "right": {3}}, h.Shelf)
	assert.Equal(t, Position{"h.yaml", 4}, at["shelf.right.doors"])
	_, err = decode(&houses, "shelf: {left: off}", &h)
	require.NoError(t, err)
	assert.Equal(t, closet{"right": {3}}, h.Shelf)
	for text, message := range map[string]string{
		"shelf:\n  middle: {}\n":            `h.yaml:2: unknown key "middle" in shelf; valid keys: left, right`,
		"shelf: off":                        `h.yaml:1: shelf is "off"; it takes the keys left, right`,
		"shelf: {left: {}, left: {}}":       `h.yaml:1: shelf.left is given twice; once is enough`,
		"shelf:\n  left:\n    windows: 3\n": `h.yaml:3: unknown key "windows" in shelf.left; valid keys: doors`,
		"shelf: {left: on}":                 `h.yaml:1: shelf.left is "on"; it takes the keys doors`,
	} {
		_, err := decode(&houses, text, &h)
		assert.EqualError(t, err, message)
	}
}

func TestKeysOfAnInlineStructAreThoseOfTheStructAroundIt(t *testing.T) {
	var c castle
	at, err := decode(&houses, "tiles: 3\ntower: {rows: [1]}\n", &c)
	require.NoError(t, err)
	assert.Equal(t, castle{Roof: Roof{Tiles: 3}, Tower: Roof{Rows: []int{1}}}, c)
	assert.Equal(t, Position{"h.yaml", 1}, at["tiles"])
	_, err = decode(&houses, "walls: 3", &c)
	assert.EqualError(t, err, `h.yaml:1: unknown key "walls" in the house; valid keys: tiles, rows, tower`)
}
