package exec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// print lets a store of the result of vprintf print.
func (b *builder) print() {
	format, values, store := b.addressOf(b.in.Prints.Format, 0), b.addressOf(b.in.Prints.Values, 0), b.o.run
	b.c.p.prints = true
	b.o.run = func(w *Warp, o *op) {
		if w.launch.printed != nil {
			w.print(w.src(format)[0], w.src(values)[0])
		}
		store(w, o)
	}
}

// print prints for each active lane. The lanes have the addresses of the format and of the values at two
// places of their local memory.
func (w *Warp) print(format, values uint64) {
	size := uint64(w.localBytes)
	for m := w.active; m != 0; m &= m - 1 {
		lane := uint64(bits.TrailingZeros32(m))
		local := w.local[lane*size:][:size]
		if format+8 > size || values+8 > size {
			return
		}
		text := w.text(binary.LittleEndian.Uint64(local[format:]))
		at := binary.LittleEndian.Uint64(local[values:])
		var list []byte
		if spaceOf(at) == spaceOf(localWindow) && at-localWindow < size {
			list = local[at-localWindow:]
		} else if a := w.memory.find(at); a != nil {
			list = a.data[at-a.addr:]
		}
		w.launch.printed(w.tb.ID, w.formatted(text, list))
	}
}

// text is the string at a global address, up to its zero.
func (w *Warp) text(addr uint64) string {
	a := w.memory.find(addr)
	if a == nil {
		return "(null)"
	}
	data := a.data[addr-a.addr:]
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	}
	return string(data)
}

// formatted is a text as C's printf has it (C11, 7.21.6.1). The values follow each other in list, aligned to
// their sizes.
func (w *Warp) formatted(format string, list []byte) string {
	var out strings.Builder
	at := 0
	next := func(size int) uint64 {
		at = (at + size - 1) / size * size
		if at+size > len(list) {
			return 0
		}
		at += size
		if size == 4 {
			return uint64(binary.LittleEndian.Uint32(list[at-4:]))
		}
		return binary.LittleEndian.Uint64(list[at-8:])
	}
	for len(format) > 0 {
		plain, rest, found := strings.Cut(format, "%")
		out.WriteString(plain)
		if !found {
			break
		}
		end := strings.IndexAny(rest, "diouxXcsfFeEgGaAp%")
		if end < 0 {
			out.WriteString("%" + rest)
			break
		}
		spec, verb := rest[:end], rest[end]
		format = rest[end+1:]
		for strings.Contains(spec, "*") {
			spec = strings.Replace(spec, "*", fmt.Sprint(int32(next(4))), 1)
		}
		flags := strings.TrimRight(spec, "hlLqjzt")
		long := strings.ContainsAny(spec[len(flags):], "lLqjzt")
		out.WriteString(w.value(flags, verb, long, next))
	}
	return out.String()
}

// value is one value as a conversion of printf has it.
func (w *Warp) value(flags string, verb byte, long bool, next func(size int) uint64) string {
	size := 4
	if long {
		size = 8
	}
	switch verb {
	case '%':
		return "%"
	case 'd', 'i':
		v := next(size)
		if !long {
			v = uint64(int64(int32(v)))
		}
		return fmt.Sprintf("%"+flags+"d", int64(v))
	case 'u':
		return fmt.Sprintf("%"+flags+"d", next(size))
	case 'o', 'x', 'X':
		return fmt.Sprintf("%"+flags+string(verb), next(size))
	case 'c':
		return fmt.Sprintf("%"+flags+"s", string([]byte{byte(next(4))}))
	case 's':
		return fmt.Sprintf("%"+flags+"s", w.text(next(8)))
	case 'p':
		return fmt.Sprintf("%"+flags+"s", fmt.Sprintf("%#x", next(8)))
	}
	if !strings.Contains(flags, ".") {
		flags += ".6"
	}
	v := math.Float64frombits(next(8))
	if math.IsNaN(v) || math.IsInf(v, 0) { // in small letters
		width, _, _ := strings.Cut(strings.TrimLeft(flags, "0"), ".")
		return fmt.Sprintf("%"+width+"s", strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+")))
	}
	switch verb {
	case 'F':
		verb = 'f'
	case 'a', 'A': // hexadecimal
		verb += 'x' - 'a'
	}
	return fmt.Sprintf("%"+flags+string(verb), v)
}
