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
	// path is where the manifest has the expression.
	path string
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
	if !ok || w.i < low || w.i > high {
		err = fmt.Errorf("%q is %v; valid: whole numbers from %d to %d", e.text, v, low, high)
	}
	return w.i, err
}

// number evaluates to a number of either kind.
func (e *Expr) number(s scope) (float64, error) {
	v, err := e.eval(s)
	if err == nil && v.kind == address {
		err = fmt.Errorf("%q is an address; valid: a number", e.text)
	}
	return v.float(), err
}

// node is a part of an expression.
type node struct {
	// op is a binary operator, the name of a function, or one of the others below.
	op    string
	value value
	name  string
	args  []node
	// call is the function, nil of others.
	call func(args [3]value) (value, error)
}

// The nodes that are no operators or functions.
const (
	literal  = ""
	variable = "name"
	element  = "["
	not      = "!"
)

func (n *node) eval(s scope) (v value, err error) {
	switch n.op {
	case literal:
		return n.value, nil
	case variable:
		return s.name(n.name)
	}
	if n.call != nil {
		return n.result(s)
	}
	if v, err = n.args[0].eval(s); err != nil {
		return v, err
	}
	switch n.op {
	case not:
		return truth(!v.isTrue()), nil
	case element:
		at, ok := v.asWhole()
		if !ok {
			return v, fmt.Errorf("has an index that is %v; valid: a whole number", v.kind)
		}
		return s.element(n.name, at.i)
	case "&&", "||":
		if v.isTrue() == (n.op == "||") {
			return truth(v.isTrue()), nil
		}
	}
	b, err := n.args[1].eval(s)
	if err != nil {
		return b, err
	}
	return apply(n.op, v, b)
}

// result calls the function.
func (n *node) result(s scope) (v value, err error) {
	var args [3]value
	for i := range n.args {
		if args[i], err = n.args[i].eval(s); err != nil {
			return v, err
		}
		if args[i].kind == address {
			return v, fmt.Errorf("gives %s an address; it takes numbers", n.op)
		}
	}
	return n.call(args)
}

// fold returns the node with all that the scope knows already worked out, for
// evaluating it many times. What fails is left to fail then.
func fold(n node, s scope) node {
	constant := n.op != element // elements may still change
	args := make([]node, len(n.args))
	for i := range args {
		args[i] = fold(n.args[i], s)
		constant = constant && args[i].op == literal
	}
	n.args = args
	if constant {
		if v, err := n.eval(s); err == nil {
			return node{value: v}
		}
	}
	return n
}
