package kernels

// compiled is an expression for arrays of many elements: a closure that has its number for the
// index of an element, whole or real. A number that cannot be worked out panics with unfit;
// evaluating the expression then says why.
type compiled struct {
	whole func(index int64) int64
	real  func(index int64) float64
}

type unfit struct{}

// compiledOf is a number of a kind by its values.
func compiledOf(k kind, get func(index int64) (value, error)) *compiled {
	must := func(index int64) value {
		v, err := get(index)
		if err != nil {
			panic(unfit{})
		}
		return v
	}
	if k == real {
		return &compiled{real: func(index int64) float64 { return must(index).f }}
	}
	return &compiled{whole: func(index int64) int64 { return must(index).i }}
}

func (c *compiled) kind() kind {
	if c.real != nil {
		return real
	}
	return whole
}

func (c *compiled) value(index int64) value {
	if c.real != nil {
		return realOf(c.real(index))
	}
	return wholeOf(c.whole(index))
}

func (c *compiled) isTrue(index int64) bool {
	if c.real != nil {
		return c.real(index) != 0
	}
	return c.whole(index) != 0
}

func ofTruth(get func(index int64) bool) *compiled {
	return &compiled{whole: func(index int64) int64 {
		if get(index) {
			return 1
		}
		return 0
	}}
}

// compile compiles a folded expression in which i stands for the index. It is nil for sums and
// addresses, and where the kind of a part depends on the index.
func (i *Instance) compile(n *node) *compiled {
	args := make([]*compiled, len(n.args))
	for k := range args {
		if args[k] = i.compile(&n.args[k]); args[k] == nil {
			return nil
		}
	}
	switch n.form {
	case literal:
		switch v := n.value; v.kind {
		case whole:
			return &compiled{whole: func(int64) int64 { return v.i }}
		case real:
			return &compiled{real: func(int64) float64 { return v.f }}
		}
	case variable:
		if n.name == indexName {
			return &compiled{whole: func(index int64) int64 { return index }}
		}
	case element:
		if d := i.arrays[n.name]; args[0].real == nil && d != nil && !d.typ.structure {
			k := whole
			if d.typ.real {
				k = real
			}
			return compiledOf(k, func(index int64) (value, error) { return i.element(n.name, args[0].whole(index)) })
		}
	case function:
		return n.compileCall(args)
	case not:
		return ofTruth(func(index int64) bool { return !args[0].isTrue(index) })
	case and:
		return ofTruth(func(index int64) bool { return args[0].isTrue(index) && args[1].isTrue(index) })
	case or:
		return ofTruth(func(index int64) bool { return args[0].isTrue(index) || args[1].isTrue(index) })
	case operation:
		return n.operator.compile(args[0], args[1])
	}
	return nil
}

// compileCall compiles a function of numbers.
func (n *node) compileCall(args []*compiled) *compiled {
	k := real
	switch n.name {
	case "int", "ceildiv", "roundup":
		k = whole
	case "min", "max", "select":
		last := args[len(args)-2:]
		if k = last[0].kind(); k != last[1].kind() {
			return nil
		}
	}
	if n.name == "select" && k == whole { // spares the values, as % and / do
		return &compiled{whole: func(index int64) int64 {
			first, a, b := args[0].isTrue(index), args[1].whole(index), args[2].whole(index)
			if first {
				return a
			}
			return b
		}}
	}
	return compiledOf(k, func(index int64) (value, error) {
		var v [3]value
		for a := range args {
			v[a] = args[a].value(index)
		}
		return n.call(v[0], v[1], v[2])
	})
}

// compile compiles an operator.
func (o *operator) compile(a, b *compiled) *compiled {
	if a.real != nil || b.real != nil {
		if o.real == nil {
			return nil
		}
		k := o.real(0, 0).kind // a comparison has a whole number
		return compiledOf(k, func(index int64) (value, error) {
			return o.real(a.value(index).float(), b.value(index).float()), nil
		})
	}
	x, y := a.whole, b.whole
	switch o.name {
	case "%":
		return &compiled{whole: func(index int64) int64 { return x(index) % nonzero(y(index)) }}
	case "/":
		return &compiled{whole: func(index int64) int64 { return x(index) / nonzero(y(index)) }}
	case "==":
		return ofTruth(func(index int64) bool { return x(index) == y(index) })
	}
	return &compiled{whole: func(index int64) int64 {
		v, err := o.whole(x(index), y(index))
		if err != nil {
			panic(unfit{})
		}
		return v
	}}
}

func nonzero(divisor int64) int64 {
	if divisor == 0 {
		panic(unfit{})
	}
	return divisor
}

// quick writes the elements of a formula by its compiled expression, and returns how many: all,
// or those before a faulty element, or none.
func (i *Instance) quick(n *node, t elementType, data []byte, first int64) (done int) {
	c := i.compile(n)
	if c == nil {
		return 0
	}
	defer func() {
		if fault := recover(); fault != nil && fault != (unfit{}) {
			panic(fault)
		}
	}()
	for ; done < len(data)/t.bytes; done++ {
		if t.put(data[done*t.bytes:], c.value(first+int64(done))) != nil {
			break
		}
	}
	return done
}
