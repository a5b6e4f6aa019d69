package traceg

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/ulikunitz/xz"
)

// Writer writes an application as a trace that this package and Accel-Sim
// read: copies and launches in order, each launch thread block by thread block.
type Writer struct {
	// Counts is what has been written so far.
	Counts   Counts
	folder   string
	compress bool
	list     *os.File
}

// Counts is what a trace has, and what of its source its format cannot say.
type Counts struct {
	Launches, Copies, TBs                int
	WarpInstructions, ThreadInstructions uint64

	// Listed is the number of distinct instructions with registers in a file
	// beside the kernel's, because a line cannot tell them.
	Listed int
	// Ambiguous is the number of distinct instructions that are read with the
	// registers of another instruction, which has the same line.
	Ambiguous int
	// Texture is the number of distinct accesses to texture memory, which are
	// written as accesses to global memory.
	Texture int
	// Constants is the number of warp instructions that load more than one word
	// of constant memory, and are read as loading one.
	Constants uint64
	// LocalAtomics is the number of distinct atomics on local memory, also
	// written as global ones.
	LocalAtomics int
	// Branches is the number of warp instructions of class Branch that are read
	// as redirecting the warp, or not, where it is the other way round.
	Branches uint64
	// Barriers is the number of distinct instructions that are about another
	// barrier than 0, or about a number of warps: they are read as barrier 0 for
	// all warps, or as nothing where the warp does not wait.
	Barriers int
	// CPUPhases is the number of times that the host program computes, which is
	// left out.
	CPUPhases int
	// Waits is the number of times that the host program waits for launches of
	// streams, which the list does not say.
	Waits int
	// Registers is the number of launches with registers that do not divide by
	// their threads, or are more than a header can say.
	Registers int
}

func (c *Counts) note(e *packed.Entry, s *spelling) {
	if !s.exact {
		c.Listed++
	}
	if e.Class.IsMemory() && e.Space == workload.Texture {
		c.Texture++
	}
	if e.Space == workload.Local && (e.Class == workload.Atomic || e.Class == workload.Reduction) {
		c.LocalAtomics++
	}
	if e.Class == workload.Barrier && (e.Barrier != 0 || e.Warps != 0) {
		c.Barriers++
	}
}

// NewWriter begins a trace in a folder, which must be there and be empty.
// Kernels are xz-compressed if compress is set.
func NewWriter(folder string, compress bool) (*Writer, error) {
	list, err := os.OpenFile(filepath.Join(folder, listName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return &Writer{folder: folder, compress: compress, list: list}, nil
}

// Copy adds a copy between host and device.
func (w *Writer) Copy(addr, bytes uint64, toHost bool) error {
	w.Counts.Copies++
	name := "MemcpyHtoD"
	if toHost {
		name = "MemcpyDtoH"
	}
	_, err := fmt.Fprintf(w.list, "%s,0x%016x,%d\n", name, addr, bytes)
	return err
}

// Kernel adds a launch. Its instructions will be in table, which may grow. It
// must be closed before anything else is added.
func (w *Writer) Kernel(k *workload.Kernel, table *packed.Table) (*KernelWriter, error) {
	if k.TBs() > maxTBs {
		return nil, fmt.Errorf("kernel %s has %d thread blocks; a trace has at most %d", k.Name, k.TBs(), maxTBs)
	}
	w.Counts.Launches++
	if r := registersPerThread(k); r*k.ThreadsPerTB() != k.RegistersPerTB {
		w.Counts.Registers++
	}
	name := fmt.Sprintf("kernel-%d.traceg", w.Counts.Launches)
	if w.compress {
		name += ".xz"
	}
	if _, err := fmt.Fprintln(w.list, name); err != nil {
		return nil, err
	}
	out := &KernelWriter{trace: w, kernel: k, table: table, path: filepath.Join(w.folder, name), listed: map[string]string{}}
	file, err := os.OpenFile(out.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	out.close = file.Close
	var text io.Writer = file
	if w.compress {
		packed, err := xz.NewWriter(file)
		if err != nil {
			file.Close()
			return nil, err
		}
		text = packed
		out.close = func() error {
			if err := packed.Close(); err != nil {
				file.Close()
				return err
			}
			return file.Close()
		}
	}
	out.out = bufio.NewWriterSize(text, 256<<10)
	out.header(w.Counts.Launches)
	return out, nil
}

// Close ends the launch's file, and writes its register lists if there are any.
func (w *KernelWriter) Close() error {
	err := w.out.Flush()
	if closed := w.close(); err == nil {
		err = closed
	}
	if err != nil || len(w.lists) == 0 {
		return err
	}
	var text []byte
	for _, l := range w.lists {
		text = append(append(text, l...), '\n')
	}
	return os.WriteFile(listedPath(w.path), text, 0o666)
}

// Close ends the trace.
func (w *Writer) Close() error { return w.list.Close() }
