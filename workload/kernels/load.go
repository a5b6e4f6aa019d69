package kernels

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
	"cotenant/workload/strictyaml"
)

// embedded holds the built-in applications, of the Parboil, Rodinia, PolyBench and
// GPGPU-Sim suites, the CUDA SDK, Halloc's benchmarks, neural networks and probes: manifests, and the
// PTX that compile.sh makes of cuda/.
//
//go:embed manifests/*.yaml ptx/*.ptx
var embedded embed.FS

// format is how a manifest is written.
var format = strictyaml.List("a launch manifest", "the manifest", "name and ptx")

// Load reads the manifest at a path and the PTX file that it names. An error is
// one line that names the file and, where there is one, the line.
func Load(file string) (*Manifest, error) {
	data, err := format.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(file, data, func(name string) ([]byte, error) {
		return workload.ReadFile(beside(file, name), ptx.MaxFileBytes)
	})
}

// beside is the path of a file that a manifest names.
func beside(manifest, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(manifest), name)
}

// Files lists the files that a manifest from a file is made of: itself, its PTX,
// and the files of its arrays and of what it expects.
func (m *Manifest) Files() []string {
	files := []string{m.file}
	for _, name := range m.reads() {
		files = append(files, beside(m.file, name))
	}
	return files
}

// reads lists the files that the manifest names to be read: its PTX, and the
// files of arrays and of expect steps.
func (m *Manifest) reads() []string {
	names := slices.Clone([]string(m.PTX))
	for i := range m.Arrays {
		names = append(names, m.Arrays[i].File)
		for k := range m.Arrays[i].Fields {
			names = append(names, m.Arrays[i].Fields[k].File)
		}
	}
	eachStep(m.Steps, "steps", func(_ string, s *Step) {
		if s.Expect != nil {
			names = append(names, s.Expect.File)
		}
	})
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// Builtin returns a built-in application. An error lists the valid names.
func Builtin(name string) (*Manifest, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown application %q; valid: %s", name, strings.Join(Names(), ", "))
	}
	file := path.Join("manifests", name+".yaml")
	data, err := embedded.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(path.Join("built-in", file), data, func(name string) ([]byte, error) {
		return embedded.ReadFile(path.Join("manifests", name))
	})
}

// Names lists the built-in applications in alphabetical order.
func Names() []string {
	entries, _ := embedded.ReadDir("manifests")
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names) // of files, one may begin another: sad and sad-larger
	return names
}

// Sizes are the inputs that a manifest can have: for tests, for a quick look,
// and of the published dimensions.
var Sizes = []string{"tiny", "small", "medium"}

// parse reads and checks a manifest; read opens the files that it names.
func parse(file string, data []byte, read func(string) ([]byte, error)) (m *Manifest, err error) {
	defer caught(&err)
	doc, err := format.Parse(file, data)
	if err != nil {
		return nil, err
	}
	m = &Manifest{file: file, at: strictyaml.Positions{}, read: read, text: data, expected: map[string][]byte{}}
	if err := doc.Decode(m, m.at); err != nil {
		return nil, err
	}
	c := &checker{m: m, names: map[string]bool{}}
	c.value("", reflect.ValueOf(m))
	c.module()
	return m, nil
}

// module reads the PTX file and checks the kernels and launches against it.
func (c *checker) module() {
	m := c.m
	var files []ptx.File
	for i, name := range m.PTX {
		text, err := m.read(name)
		if err != nil {
			m.fail(m.pathOfPTX(i), "names %s, which cannot be read: %v; give the path of a PTX file, relative to the manifest", beside(m.file, name), workload.WithoutPath(err))
		}
		files = append(files, ptx.File{Path: beside(m.file, name), Text: text})
		m.ptxTexts = append(m.ptxTexts, text)
	}
	var err error
	m.module, err = ptx.ParseWith(allocator(), files...)
	raise(err)
	if !slices.ContainsFunc(m.module.Funcs, func(f *ptx.Func) bool { return f.Entry }) {
		m.fail("ptx", "names %s, which has no kernel; give the path of a PTX file with an .entry", m.filesOfPTX())
	}
	for i := range m.Kernels {
		m.entries = append(m.entries, m.entry(fmt.Sprintf("kernels[%d].name", i), m.Kernels[i].Name))
	}
	for _, entry := range m.entries {
		program, err := exec.Compile(m.module, entry.Name)
		raise(err)
		m.programs = append(m.programs, program)
	}
	c.launches()
}

// Notes are what a user should know of the PTX files, in a line each.
func (m *Manifest) Notes() []string { return m.module.Notes }

// filesOfPTX lists the PTX files by the paths that messages name.
func (m *Manifest) filesOfPTX() string {
	var files []string
	for _, name := range m.PTX {
		files = append(files, beside(m.file, name))
	}
	return strings.Join(files, ", ")
}

// pathOfPTX is where the manifest names a PTX file.
func (m *Manifest) pathOfPTX(i int) string {
	if len(m.PTX) == 1 {
		return "ptx"
	}
	return fmt.Sprintf("ptx[%d]", i)
}

// Contents lists everything that the application is made of: the texts of
// manifest and PTX, and the SHA-256 hashes of the files of arrays and of what is
// expected.
func (m *Manifest) Contents() ([][]byte, error) {
	contents := append([][]byte{m.text}, m.ptxTexts...)
	for _, name := range m.reads()[len(m.PTX):] {
		f, _, err := m.open(name)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		contents = append(contents, h.Sum(nil))
	}
	return contents, nil
}

// entry finds a kernel in the PTX, by its name there or by its name in C++, if no
// other entry has that.
func (m *Manifest) entry(path, name string) *ptx.Func {
	var all, called []string
	var found *ptx.Func
	for _, f := range m.module.Funcs {
		if !f.Entry {
			continue
		}
		if f.Name == name {
			return f
		}
		all = append(all, f.Name)
		if calls(name, f.Name) {
			found = f
			called = append(called, f.Name)
		}
	}
	switch len(called) {
	case 0:
		m.fail(path, "is %q, which %s does not have; valid: %s", name, m.filesOfPTX(), strings.Join(all, ", "))
	case 1:
	default:
		m.fail(path, "is %q, which several kernels of %s are called in C++; valid: %s", name, m.filesOfPTX(), strings.Join(called, ", "))
	}
	return found
}

// kernelNames lists the kernels in the order of the manifest.
func (m *Manifest) kernelNames() []string {
	return namesOf(m.Kernels, func(k *Kernel) string { return k.Name })
}

// kernel is the index of a kernel in the manifest, -1 if it is not there.
func (m *Manifest) kernel(name string) int {
	return slices.IndexFunc(m.Kernels, func(k Kernel) bool { return k.Name == name })
}

// errorf makes an error for the value at a path of the manifest, or the
// nearest thing around it.
func (m *Manifest) errorf(path, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return m.at.Nearest(path).Errorf("%s", strings.TrimPrefix(path+" "+text, " "))
}

// WriteSources writes all that the built-in applications are made from, always
// the same bytes for the same applications.
func WriteSources(w io.Writer) error {
	for _, folder := range []string{"manifests", "ptx"} {
		entries, err := embedded.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			text, err := embedded.ReadFile(path.Join(folder, e.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s/%s %d\n", folder, e.Name(), len(text))
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckAsync has launches of instances made from now on look for reads of what an asynchronous copy
// has written before the thread that copies has waited for it (exec.LaunchConfig).
func (m *Manifest) CheckAsync() { m.checksAsync = true }
