package kernels

import (
	"encoding/binary"
	"fmt"
	"math"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// params makes the parameter block of a launch.
func (i *Instance) params(path string, s *LaunchStep, p *exec.Program) []byte {
	block := make([]byte, p.ParamBytes())
	offsets := p.ParamOffsets()
	for at, param := range i.m.entries[i.m.kernel(s.Kernel)].Params {
		path := fmt.Sprintf("%s.args[%d]", path, at)
		bytes, a := block[offsets[at]:][:param.Bytes], &s.Args[at]
		if len(a.Fields) > 0 {
			i.fields(path, s.Kernel, a.Fields, bytes, param.Align)
			continue
		}
		if param.Bytes == exec.TensorMapBytes {
			if m, ok := i.tensorMap(a.Value.text); ok {
				copy(bytes, m)
				continue
			}
		}
		v, err := a.Value.eval(i)
		var word uint64
		if err == nil {
			word, err = paramWord(param, v)
		}
		if err != nil {
			i.m.fail(path, "for parameter %d of %s: %v", at+1, s.Kernel, err)
		}
		copy(bytes, binary.LittleEndian.AppendUint64(nil, word))
	}
	return block
}

// fields writes the members of a parameter passed by value.
func (i *Instance) fields(path, kernel string, fields []Field, bytes []byte, align int) {
	next, end := int64(0), int64(0)
	for n := range fields {
		f, path := &fields[n], fmt.Sprintf("%s.fields[%d]", path, n)
		t, _ := elementOf(f.Type)
		size := int64(t.bytes)
		next = i.wholeOr(&f.At, 0, int64(len(bytes)), (next+size-1)/size*size)
		values := f.Values
		if f.Value.given() {
			values = []Expr{f.Value}
		}
		for k := range values {
			if next+size > int64(len(bytes)) {
				i.m.fail(path, "ends at byte %d of a parameter of %s, which has %d", next+size, kernel, len(bytes))
			}
			i.m.must(path, t.putMember(bytes[next:], i.eval(&values[k])))
			next += size
			end = max(end, next)
		}
	}
	if whole := roundup(int(end), max(align, 1)); whole < len(bytes) {
		i.m.fail(path, "ends at byte %d of a parameter of %s, which has %d; valid: fields to its end, zeros among them", end, kernel, len(bytes))
	}
}

// putMember is put for a type that may also hold a pointer.
func (t elementType) putMember(to []byte, v value) error {
	if v.kind == address && t.bytes == 8 && !t.real {
		v.kind = whole
	}
	return t.put(to, v)
}

// paramWord is the bits of a value as a parameter.
func paramWord(p *ptx.Var, v value) (uint64, error) {
	switch {
	case p.Bytes > 8 || p.Type == ptx.B8 && p.Bytes != 1:
		return 0, fmt.Errorf("it is a structure of %s; valid: {fields: [{type: f32, value: 1}, ...]}", workload.Count(p.Bytes, "byte"))
	case v.kind == address && p.Bytes != 8:
		return 0, fmt.Errorf("it has %s, and the argument is an address; valid: a number", workload.Count(p.Bytes, "byte"))
	case p.Type == ptx.F32 && v.kind != address:
		return uint64(math.Float32bits(float32(v.float()))), nil
	case p.Type == ptx.F64 && v.kind != address:
		return math.Float64bits(v.float()), nil
	case v.kind == real:
		return 0, fmt.Errorf("it takes whole numbers, and the argument is %v", v)
	}
	if bits := 8 * p.Bytes; bits < 64 && (v.i < -1<<(bits-1) || v.i >= 1<<bits) {
		return 0, fmt.Errorf("%d does not fit into its %s", v.i, workload.Count(p.Bytes, "byte"))
	}
	return uint64(v.i), nil
}
