package compare

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// GPUFields lists the fields in which GPUs differ, in the order of their documents in YAML,
// one for each run; nil for a GPU that is not known.
func GPUFields(documents [][]byte) (list []Row, err error) {
	known := map[string]int{}
	for n, text := range documents {
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			return nil, fmt.Errorf("GPU %d: %w", n+1, err)
		}
		each(&document, nil, func(path []string, value string) {
			name := strings.Join(path, ".")
			at, ok := known[name]
			if !ok {
				at = len(list)
				known[name] = at
				list = append(list, Row{Name: name, Values: make([]any, len(documents))})
			}
			list[at].Values[n] = value
		})
	}
	differing := list[:0]
	for _, row := range list {
		same := true
		for n, v := range row.Values {
			same = same && (v == row.Values[0] || documents[n] == nil)
		}
		if !same {
			differing = append(differing, row)
		}
	}
	return differing, nil
}

// each visits the values of a document.
func each(n *yaml.Node, path []string, visit func(path []string, value string)) {
	switch n.Kind {
	case yaml.DocumentNode:
		for _, inner := range n.Content {
			each(inner, path, visit)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			each(n.Content[i+1], append(path, n.Content[i].Value), visit)
		}
	case yaml.SequenceNode:
		for i, inner := range n.Content {
			each(inner, append(path, strconv.Itoa(i)), visit)
		}
	case yaml.ScalarNode:
		visit(path, n.Value)
	}
}
