package traceg

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cotenant/workload"
)

// listName is the name of the list of copies and kernels in a trace's folder.
const listName = "kernelslist.g"

// maxEntries bounds a list, which is held in memory.
const maxEntries = 1 << 20

// Options are the choices that a user has in reading a trace.
type Options struct {
	// UnknownOpcodeALU takes an opcode that the table does not know as an
	// integer instruction (--unknown-opcode=alu) instead of as an error.
	UnknownOpcodeALU bool
}

// Open reads the list of a trace and the headers of its kernels. Path is the
// folder, in which the list is called kernelslist.g, or the list itself. The
// app is named after the folder; its operations are the copies and the kernels
// in the list's order. The host program waits for copies, which the list does
// not tell from asynchronous ones, and not for kernels.
//
// Errors are *workload.InputError and name file and line.
func Open(path string, opt Options) (*workload.App, error) {
	l, list, err := openList(path)
	if err != nil {
		return nil, err
	}
	defer l.close()
	files := []string{list}
	read := map[string]*workload.Kernel{} // a list may name a file any number of times
	app, err := readList(l, func(name string) (*workload.Kernel, error) {
		if k := read[name]; k != nil {
			again := *k
			return &again, nil
		}
		path := filepath.Join(filepath.Dir(list), name)
		files = append(files, path)
		if listed := listedPath(path); isThere(listed) {
			files = append(files, listed)
		}
		k, err := openKernel(path, l, opt)
		read[name] = k
		return k, err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	app.Files = slices.Compact(files)
	folder, err := filepath.Abs(filepath.Dir(list))
	if err != nil {
		return nil, workload.Errorf(path, 0, "%s", workload.WithoutPath(err))
	}
	app.Name = filepath.Base(folder)
	app.Arrays = copied(app.Ops)
	return app, nil
}

// openList opens the list of the trace at a path, which may be the list's own,
// and returns its path too.
func openList(path string) (l *lines, list string, err error) {
	list = path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		list = filepath.Join(path, listName)
	}
	l, err = openLines(list, path, 0, "a folder with a "+listName+", or such a list")
	return l, list, err
}

// readList reads a list; kernel opens the file of a kernel it names.
func readList(l *lines, kernel func(name string) (*workload.Kernel, error)) (*workload.App, error) {
	app := &workload.App{}
	kernels := 0
	for {
		b, err := l.nextText()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(app.Ops) == maxEntries {
			return nil, l.errorf("one more entry than the %d that are valid in a list", maxEntries)
		}
		op := workload.Op{}
		line := string(bytes.TrimSpace(b))
		switch {
		case strings.HasPrefix(line, "Memcpy"):
			if op, err = readCopy(l, line); err != nil {
				return nil, err
			}
		case strings.HasPrefix(line, "kernel") && kernelSuffix(line) != "":
			if op.Kernel, err = kernel(line); err != nil {
				return nil, err
			}
			op.Async = true
			kernels++
		default:
			return nil, l.errorf("unknown entry %q; valid are MemcpyHtoD,0xADDRESS,BYTES and the name of a kernel-*.traceg, kernel-*.traceg.xz or kernel-*.tracez file", clip(b))
		}
		app.Ops = append(app.Ops, op)
	}
	if kernels == 0 {
		return nil, workload.Errorf(l.name, 0, "the list names no kernel; valid is at least one kernel-*.traceg, kernel-*.traceg.xz or kernel-*.tracez file")
	}
	return app, nil
}

// kernelSuffix is the end of the name of a kernel's file, "" if it is none.
func kernelSuffix(name string) string {
	for _, suffix := range []string{".traceg", ".traceg.xz", tracezSuffix} {
		if strings.HasSuffix(name, suffix) {
			return suffix
		}
	}
	return ""
}

func readCopy(l *lines, line string) (op workload.Op, err error) {
	f := strings.Split(line, ",")
	toDevice := f[0] == "MemcpyHtoD"
	if len(f) == 3 && (toDevice || f[0] == "MemcpyDtoH") {
		addr, ok1 := hex([]byte(strings.TrimSpace(f[1])))
		bytes, ok2 := decimal([]byte(strings.TrimSpace(f[2])))
		if ok1 && ok2 && bytes >= 0 {
			return workload.Op{Addr: addr, Bytes: uint64(bytes), ToHost: !toDevice}, nil
		}
	}
	return op, l.errorf("malformed copy %q; valid is MemcpyHtoD,0xADDRESS,BYTES or MemcpyDtoH,0xADDRESS,BYTES", clip([]byte(line)))
}

// openKernel reads the header of one kernel's file, which line l names.
func openKernel(path string, l *lines, opt Options) (*workload.Kernel, error) {
	text, err := openLines(path, l.name, l.line, "a file in the folder of the list")
	if err != nil {
		return nil, err
	}
	defer text.close()
	h, err := readHeader(text)
	if err != nil {
		return nil, err
	}
	return &workload.Kernel{
		Name:             h.name,
		Grid:             h.grid,
		Block:            h.block,
		RegistersPerTB:   h.registers * h.block.Count(),
		SharedBytesPerTB: h.shared,
		Stream:           h.stream,
		Origin:           fmt.Sprintf("%s:%d", path, h.blockLine),
		Source:           &source{path: path, header: h, opt: opt},
	}, nil
}
