package presets

import (
	"regexp"

	"cotenant/platform/wiring"
	"cotenant/sm"
	"cotenant/workload/strictyaml"
)

// kindsKey is the key under which a document describes kinds of SMs.
const kindsKey = "sm_kinds"

var kindName = regexp.MustCompile(`^[a-z0-9_]+$`)

// decode writes a document over the configuration, but for its kinds of SMs:
// those follow from sm, which later documents may change.
func (l *loader) decode(doc *strictyaml.Document) error {
	if kinds := doc.Take(kindsKey); kinds != nil {
		list, err := doc.Entries(kinds, kindsKey)
		if err != nil {
			return err
		}
		for _, k := range list {
			switch {
			case k.Name == wiring.BaseKind:
				return k.At.Errorf("%s.%s: the key sm describes kind %s; choose another name", kindsKey, k.Name, k.Name)
			case !kindName.MatchString(k.Name):
				return k.At.Errorf("%s: invalid name %q; valid: lower-case letters, digits and _", kindsKey, k.Name)
			}
		}
		l.kinds = append(l.kinds, list...)
	}
	return doc.Decode(l.config, l.at)
}

// makeKinds makes the kinds of SMs: each is sm with what the documents set, in
// their order.
func (l *loader) makeKinds() error {
	for _, k := range l.kinds {
		spec, ok := l.config.SMKinds[k.Name]
		if !ok {
			spec = l.config.SM
		}
		if err := k.Decode(&spec, l.at); err != nil {
			return err
		}
		if l.config.SMKinds == nil {
			l.config.SMKinds = map[string]sm.Spec{}
		}
		l.config.SMKinds[k.Name] = spec
	}
	return nil
}
