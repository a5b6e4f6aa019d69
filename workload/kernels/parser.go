package kernels

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cotenant/workload"
)

// levels are the binary operators by how tightly they bind, loosest first: as in
// C, where a & 1 == 0 is a & (1 == 0).
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!=", "<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// maxDepth bounds the nesting of expressions, far above any that a person
// writes.
const maxDepth = 100

// parser reads one expression by recursive descent.
type parser struct {
	rest, token string
	depth       int
	fault       error
}

func (p *parser) failf(format string, args ...any) node {
	if p.fault == nil {
		p.fault = fmt.Errorf(format, args...)
	}
	p.rest, p.token = "", ""
	return node{}
}

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)

func (p *parser) next() {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	n := 0
	switch rest := p.rest; {
	case rest == "":
	case strings.Contains(letters, rest[:1]):
		n = span(rest, letters+digits+".")
	case strings.Contains(digits+".", rest[:1]):
		n = span(rest, letters+digits+".")
		if n < len(rest) && strings.Contains("eE", rest[n-1:n]) && strings.Contains("+-", rest[n:n+1]) && !strings.HasPrefix(rest, "0x") {
			n += 1 + span(rest[n+1:], digits)
		}
	case len(rest) > 1 && strings.Contains(" && || == != <= >= << >> ", " "+rest[:2]+" "):
		n = 2
	default:
		n = 1
	}
	p.token, p.rest = p.rest[:n], p.rest[n:]
}

// span is how many bytes at the start of s are of a set.
func span(s, set string) int { return len(s) - len(strings.TrimLeft(s, set)) }

func (p *parser) take(token string) bool {
	if p.token != token {
		return false
	}
	p.next()
	return true
}

func (p *parser) binary(level int) node {
	if level == len(levels) {
		return p.unary()
	}
	a := p.binary(level + 1)
	for p.fault == nil && p.token != "" && slices.Contains(levels[level], p.token) {
		op := p.token
		p.next()
		a = node{form: formOf(op), operator: operators[op], args: []node{a, p.binary(level + 1)}}
	}
	return a
}

// formOf is the form of a binary operator.
func formOf(operator string) form {
	switch operator {
	case "&&":
		return and
	case "||":
		return or
	}
	return operation
}

func (p *parser) unary() node {
	if p.depth++; p.depth > maxDepth {
		return p.failf("is nested more than %d deep; write it in parts", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("-"):
		return node{form: operation, operator: operators["-"], args: []node{{}, p.unary()}}
	case p.take("!"):
		return node{form: not, args: []node{p.unary()}}
	case p.take("~"): // all bits but those
		return node{form: operation, operator: operators["^"], args: []node{{value: wholeOf(-1)}, p.unary()}}
	case p.take("("):
		a := p.binary(0)
		p.expect(")", "parenthesis")
		return a
	case p.token == "":
		return p.failf("ends where a number or a name should follow")
	case strings.Contains(letters, p.token[:1]):
		return p.named()
	}
	return p.number()
}

// expect takes the token that closes what was opened before.
func (p *parser) expect(token, name string) {
	if !p.take(token) {
		p.failf("lacks a closing %s", name)
	}
}

func (p *parser) named() node {
	name := p.token
	p.next()
	switch {
	case p.take("["):
		index := p.binary(0)
		p.expect("]", "bracket")
		return node{form: element, name: name, args: []node{index}}
	case name == "sum" && p.take("("):
		return p.sum()
	case p.take("("):
		f, ok := functions[name]
		if !ok {
			return p.failf("calls %q; valid functions: %s", name, functionNames)
		}
		args := []node{p.binary(0)}
		for p.take(",") {
			args = append(args, p.binary(0))
		}
		p.expect(")", "parenthesis")
		if len(args) != f.args {
			return p.failf("gives %s %s; it takes %d", name, workload.Count(len(args), "argument"), f.args)
		}
		return node{form: function, name: name, args: args, call: f.call}
	}
	return node{form: variable, name: name}
}

// sum reads the arguments of sum: a name, how many values it takes, and what is added.
func (p *parser) sum() node {
	name := p.token
	if name == "" || span(name, letters+digits) != len(name) || strings.Contains(digits, name[:1]) {
		return p.failf("gives sum %q; it takes a name, a number and an expression that uses the name", name)
	}
	p.next()
	n := node{form: summation, name: name}
	for range 2 {
		if !p.take(",") {
			return p.failf("gives sum %s; it takes 3", workload.Count(1+len(n.args), "argument"))
		}
		n.args = append(n.args, p.binary(0))
	}
	p.expect(")", "parenthesis")
	return n
}

func (p *parser) number() node {
	text := p.token
	p.next()
	i, err := strconv.ParseInt(text, 0, 64)
	if err == nil {
		return node{value: wholeOf(i)}
	}
	if f, ferr := strconv.ParseFloat(text, 64); ferr == nil && !errors.Is(err, strconv.ErrRange) {
		return node{value: realOf(f)}
	}
	return p.failf("has %q where a number or a name should be", text)
}
