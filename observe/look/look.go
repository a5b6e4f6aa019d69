// Package look holds the common parts of the program's pages: the charts' library and the
// script that draws them, the style sheet, and colours and hatches that readers with
// colour-vision deficiencies tell apart. A page holds all of them, so that it opens
// without a network.
package look

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"
)

// library is Apache ECharts 5.6.0 as its authors built it, compressed. Licence
// and notice lie beside it.
//
//go:embed assets/echarts-5.6.0.min.js.gz
var library []byte

//go:embed tones.js
var tonesScript string

//go:embed charts.js
var drawing string

//go:embed find.js
var finding string

//go:embed rank.js
var ranking string

//go:embed style.css
var style string

// Library is the text of the charts' library.
var Library = sync.OnceValues(func() (template.JS, error) {
	z, err := gzip.NewReader(bytes.NewReader(library))
	if err != nil {
		return "", fmt.Errorf("embedded library: %w", err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return "", fmt.Errorf("embedded library: %w", err)
	}
	return template.JS(text), nil
})

// ScriptHash is the source of a script in the words of a Content-Security-Policy.
func ScriptHash(text template.JS) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Script joins parts of a page's script behind what all pages have in common: colours for
// dark surroundings, and buttons that save a chart.
func Script(parts ...string) template.JS {
	tones, err := json.Marshal(Tones)
	if err != nil {
		panic(err) // a map of strings can be written
	}
	return template.JS("\"use strict\";\n(() => {\nconst tones = " + string(tones) + ";\n" + tonesScript + strings.Join(parts, "") + "})();\n")
}

// Drawing is the script that draws charts. A page lists them as JSON in its element
// charts, and each appears in the element of its id, inside a section. A search field with
// the attribute data-find keeps the rows of the table of this id that have its words, and
// writes their number into the span beside it. A table with the attribute data-top can be
// sorted by its columns, and shows as many rows at first.
var Drawing = sync.OnceValue(func() template.JS { return Script(drawing, finding, ranking) })

// Rounded rounds to the four digits that a chart can show.
func Rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // what FormatFloat writes can be read
	return r
}

// Style is the style sheet.
func Style() template.CSS { return template.CSS(style) }
