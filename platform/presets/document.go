package presets

import (
	"gopkg.in/yaml.v3"

	"cotenant/workload/strictyaml"
)

// format is how a GPU is written.
var format = strictyaml.Format{
	Noun:  "a GPU",
	Start: "a GPU is a mapping, such as extends: gtx980 and fields that differ",
	Gone:  gone,
}

// gone holds keys that are no longer valid, and the reason.
var gone = map[string]string{
	"pipes.collectors": "no GPU has been described with operand collectors, and reading registers costs nothing",
}

// parse reads the document in data, which must be a mapping, and takes the
// value of extends out of it, the key that names another document to start
// from; nil if it has none.
func parse(file string, data []byte) (doc *strictyaml.Document, extends *yaml.Node, err error) {
	if doc, err = format.Parse(file, data); err != nil {
		return nil, nil, err
	}
	if doc.Root.Kind != yaml.MappingNode {
		return nil, nil, doc.At(doc.Root).Errorf("is not a mapping of keys to values; valid: extends: gtx980 and fields that differ")
	}
	extends = doc.Take("extends")
	if extends != nil && (extends.Kind != yaml.ScalarNode || extends.ShortTag() != "!!str" || extends.Value == "") {
		return nil, nil, doc.At(extends).Errorf("extends must be the name of a preset or the path of a YAML file")
	}
	return doc, extends, nil
}
