package experiment

import (
	"bytes"
	"encoding/json"
	"io"
)

// WriteJSON writes a value as one JSON object, indented by two spaces, in one Write.
func WriteJSON(w io.Writer, r any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // an application's options may hold an &
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}
