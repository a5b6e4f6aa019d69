package reproduce

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"cotenant/workload/strictyaml"
)

//go:embed figures/*.yaml papers/*.yaml
var embedded embed.FS

// All lists the experiments in the program by name.
var All = sync.OnceValue(func() []*Experiment {
	figures, err := load(embedded)
	if err != nil {
		panic(err) // a test finds it
	}
	return figures
})

var format = strictyaml.List("a figure", "the figure", "paper and about")

// loadPapers reads papers/NAME.yaml.
func loadPapers(files fs.FS) (papers map[string]*paper, err error) {
	papers = map[string]*paper{}
	paths, err := fs.Glob(files, "papers/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range paths {
		p := &paper{at: strictyaml.Positions{}}
		if err := decode(files, file, p, p.at); err != nil {
			return nil, err
		}
		papers[stem(file)] = p
	}
	for _, p := range papers {
		if other := papers[p.ApplicationsOf]; other != nil {
			p.Setting.Applications = append(p.Setting.Applications, other.Setting.Applications...)
		} else if p.ApplicationsOf != "" {
			return nil, unknown(p.at.Nearest("applications_of"), "paper", p.ApplicationsOf, keysOf(papers))
		}
	}
	return papers, nil
}

// load reads all figures of a file system in the order of their names: figures/NAME.yaml, and
// the papers that they name in papers. The error names file and line.
func load(files fs.FS) (list []*Experiment, err error) {
	papers, err := loadPapers(files)
	if err != nil {
		return nil, err
	}
	paths, err := fs.Glob(files, "figures/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range paths {
		f := &Experiment{Name: stem(file), at: strictyaml.Positions{}}
		if err := decode(files, file, f, f.at); err != nil {
			return nil, err
		}
		if f.paper = papers[f.Paper]; f.paper == nil {
			return nil, unknown(f.at.Nearest("paper"), "paper", f.Paper, keysOf(papers))
		}
		f.complete()
		if err := f.check(); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func stem(file string) string { return strings.TrimSuffix(path.Base(file), ".yaml") }

func decode(files fs.FS, file string, out any, at strictyaml.Positions) error {
	data, err := fs.ReadFile(files, file)
	if err != nil {
		return err
	}
	doc, err := format.Parse(file, data)
	if err != nil {
		return err
	}
	return doc.Decode(out, at)
}

// complete takes from the paper what the figure does not say.
func (f *Experiment) complete() {
	own, common := &f.Setting, &f.paper.Setting
	for _, text := range []struct{ own, common *string }{{&own.GPU, &common.GPU}, {&own.Machine, &common.Machine}, {&own.Isolated, &common.Isolated},
		{&own.Pages, &common.Pages}, {&own.Size, &common.Size}} {
		*text.own = cmp.Or(*text.own, *text.common)
	}
	own.Cycles, own.Until = cmp.Or(own.Cycles, common.Cycles), cmp.Or(own.Until, common.Until)
	for _, n := range f.paper.Notes {
		f.Notes = strings.ReplaceAll(f.Notes, "{"+n.Name+"}", n.Text)
	}
}
