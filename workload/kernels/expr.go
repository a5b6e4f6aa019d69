package kernels

import "fmt"

// Expr is an expression of a manifest: numbers, parameters, + - * / %, << >> and
// & ^ | ~ of whole numbers, comparisons, && || !, parentheses, the functions min,
// max, ceildiv, roundup, select, sqrt, sin, cos, exp, log (natural), pow, always
// a number with a fraction from sqrt to here, and int, and array[index], which reads an element of
// an array at the moment the expression is evaluated. A bare array name is the
// address of its first element, and adding n to it counts n elements.
type Expr struct {
	text string
	root node
	// fault is what is wrong with the text, kept until the manifest is checked,
	// where the line is known.
	fault error
}

// maxText bounds the length of an expression.
const maxText = 10_000

// Takes implements strictyaml.Text.
func (e *Expr) Takes() string { return "an expression, such as ceildiv(rows, 128)" }

// UnmarshalText implements encoding.TextUnmarshaler. A fault in the expression
// is reported when the manifest is checked.
func (e *Expr) UnmarshalText(text []byte) error {
	if len(text) > maxText {
		e.text, e.fault = string(text[:20])+"...", fmt.Errorf("is longer than %d characters; write it in parts", maxText)
		return nil
	}
	e.text = string(text)
	p := parser{rest: e.text}
	p.next()
	e.root = p.binary(0)
	if p.fault == nil && p.token != "" {
		p.failf("has %q where it should end or an operator should follow", p.token)
	}
	e.fault = p.fault
	return nil
}

// given reports whether the manifest has the expression.
func (e *Expr) given() bool { return e.text != "" }

// scope is what names mean.
type scope interface {
	name(name string) (value, error)
	element(array string, index int64) (value, error)
}

func (e *Expr) eval(s scope) (value, error) {
	v, err := e.root.eval(s)
	if err != nil {
		return value{}, fmt.Errorf("%q %w", e.text, err)
	}
	return v, nil
}

// whole evaluates to a whole number from low to high, however it is written: 1e3
// is one.
func (e *Expr) whole(s scope, low, high int64) (int64, error) {
	v, err := e.eval(s)
	if err != nil {
		return 0, err
	}
	w, ok := v.asWhole()
	if v.kind == address {
		return 0, fmt.Errorf("%q is an address; valid: whole numbers from %d to %d", e.text, low, high)
	}
	if !ok || w.i < low || w.i > high {
		return 0, fmt.Errorf("%q is %v; valid: whole numbers from %d to %d", e.text, v, low, high)
	}
	return w.i, nil
}

// number evaluates to a number of either kind.
func (e *Expr) number(s scope) (float64, error) {
	v, err := e.eval(s)
	if err == nil && v.kind == address {
		err = fmt.Errorf("%q is an address; valid: a number", e.text)
	}
	return v.float(), err
}

type node interface{ eval(s scope) (value, error) }

type literal value

func (n literal) eval(scope) (value, error) { return value(n), nil }

type variable string

func (n variable) eval(s scope) (value, error) { return s.name(string(n)) }

type element struct {
	array string
	index node
}

func (n element) eval(s scope) (value, error) {
	i, err := n.index.eval(s)
	if err != nil {
		return value{}, err
	}
	at, ok := i.asWhole()
	if !ok {
		return value{}, fmt.Errorf("has an index that is %v; valid: a whole number", i.kind)
	}
	return s.element(n.array, at.i)
}

type operation struct {
	op   string
	a, b node
}

func (n operation) eval(s scope) (value, error) {
	a, err := n.a.eval(s)
	if err != nil {
		return value{}, err
	}
	if n.op == "&&" && !a.isTrue() || n.op == "||" && a.isTrue() {
		return truth(n.op == "||"), nil
	}
	b, err := n.b.eval(s)
	if err != nil {
		return value{}, err
	}
	if n.op == "&&" || n.op == "||" {
		return truth(b.isTrue()), nil
	}
	return apply(n.op, a, b)
}

type not struct{ a node }

func (n not) eval(s scope) (value, error) {
	a, err := n.a.eval(s)
	return truth(!a.isTrue()), err
}

type call struct {
	function
	name string
	args []node
}

func (n call) eval(s scope) (value, error) {
	var args [3]value
	for i, a := range n.args {
		var err error
		if args[i], err = a.eval(s); err != nil {
			return value{}, err
		}
		if args[i].kind == address {
			return value{}, fmt.Errorf("gives %s an address; it takes numbers", n.name)
		}
	}
	return n.call(args)
}

// fold returns the node with all that the scope knows already worked out, for
// evaluating it many times. What fails is left to fail then.
func fold(n node, s scope) node {
	constant := true
	inner := func(n node) node {
		n = fold(n, s)
		_, ok := n.(literal)
		constant = constant && ok
		return n
	}
	switch m := n.(type) {
	case element:
		return element{m.array, inner(m.index)} // which may still change
	case operation:
		n = operation{m.op, inner(m.a), inner(m.b)}
	case not:
		n = not{inner(m.a)}
	case call:
		args := make([]node, len(m.args))
		for i := range args {
			args[i] = inner(m.args[i])
		}
		n = call{m.function, m.name, args}
	}
	if constant {
		if v, err := n.eval(s); err == nil {
			return literal(v)
		}
	}
	return n
}
