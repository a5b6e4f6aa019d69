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
	form     form
	value    value  // of a literal
	name     string // of a variable, an array or a function
	args     []node
	operator *operator
	call     func(a, b, c value) (value, error)
}

// form is the kind of a node.
type form uint8

const (
	literal  form = iota
	variable      // name
	element       // name[args[0]]
	function      // call
	not
	and
	or
	operation // operator
	summation // of args[1] for name from 0 to below args[0]
)

func (n *node) eval(s scope) (v value, err error) {
	switch n.form {
	case literal:
		return n.value, nil
	case variable:
		return s.name(n.name)
	case function:
		return n.result(s)
	case summation:
		return n.sum(s)
	}
	if v, err = n.args[0].eval(s); err != nil {
		return v, err
	}
	switch n.form {
	case not:
		return truth(!v.isTrue()), nil
	case element:
		at, ok := v.asWhole()
		if !ok {
			return v, fmt.Errorf("has an index that is %v; valid: a whole number", v.kind)
		}
		return s.element(n.name, at.i)
	case and, or:
		if v.isTrue() == (n.form == or) {
			return truth(v.isTrue()), nil
		}
	}
	b := n.args[1].value
	if n.args[1].form != literal { // which most are
		if b, err = n.args[1].eval(s); err != nil {
			return b, err
		}
	}
	if n.form != operation {
		return truth(b.isTrue()), nil
	}
	return n.operator.apply(v, b)
}

// result calls the function.
func (n *node) result(s scope) (v value, err error) {
	var args [3]value
	for i := range n.args {
		if args[i], err = n.args[i].eval(s); err != nil {
			return v, err
		}
		if args[i].kind == address {
			return v, fmt.Errorf("gives %s an address; it takes numbers", n.name)
		}
	}
	return n.call(args[0], args[1], args[2])
}

// fold returns the node with all that the scope knows already worked out, for
// evaluating it many times. What fails is left to fail then.
func fold(n node, s scope) node {
	constant := n.form != element // elements may still change
	args := make([]node, len(n.args))
	for i := range args {
		if n.form == summation && i == 1 {
			s = &bound{scope: s, variable: n.name, fault: errUnbound}
		}
		args[i] = fold(n.args[i], s)
		constant = constant && args[i].form == literal
	}
	n.args = args
	if constant {
		if v, err := n.eval(s); err == nil {
			return node{value: v}
		}
	}
	return n
}
