package kernels

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// table is a scope for tests: numbers by name, and one array named a at address
// 1000 with three elements of four bytes.
type table map[string]value

func (s table) name(name string) (value, error) {
	if name == "a" {
		return value{kind: address, i: 1000, elem: 4}, nil
	}
	v, ok := s[name]
	if !ok {
		return v, errors.New("is unknown")
	}
	return v, nil
}

func (s table) element(array string, index int64) (value, error) {
	return wholeOf([]int64{7, 8, 9}[index]), nil
}

func expr(t *testing.T, text string) *Expr {
	t.Helper()
	e := &Expr{}
	require.NoError(t, e.UnmarshalText([]byte(text)))
	return e
}

func TestExpressionsFollowTheRulesOfC(t *testing.T) {
	scope := table{"n": wholeOf(10), "x.y": realOf(0.5)}
	for text, want := range map[string]value{
		"1 + 2 * 3":                   wholeOf(7),
		"(1 + 2) * 3":                 wholeOf(9),
		"10 - 3 - 2":                  wholeOf(5),
		"-7 / 2":                      wholeOf(-3),
		"-7 % 3":                      wholeOf(-1),
		"7 / 2.0":                     realOf(3.5),
		"1.0/3":                       realOf(1.0 / 3),
		"1e3 + 1.5e-1":                realOf(1000.15),
		"0x10 * n":                    wholeOf(160),
		"x.y * 4":                     realOf(2),
		"n < 11 && n >= 10":           wholeOf(1),
		"n == 9 || !(n != 10)":        wholeOf(1),
		"0 && 1 / 0":                  wholeOf(0),
		"ceildiv(n, 4)":               wholeOf(3),
		"roundup(n, 4)":               wholeOf(12),
		"min(n, 3) + max(n, 3)":       wholeOf(13),
		"select(n > 5, 1, 2)":         wholeOf(1),
		"int(2.9)":                    wholeOf(2),
		"sqrt(n - 1)":                 realOf(3),
		"a[2] + 1":                    wholeOf(10),
		"a[a[0] - 7]":                 wholeOf(7),
		"a + 2":                       {kind: address, i: 1008, elem: 4},
		"n + a - 1":                   {kind: address, i: 1036, elem: 4},
		"a == a + 0":                  wholeOf(1),
		"9223372036854775807 - 1 + 1": wholeOf(1<<63 - 1),
		"exp(1) * exp(-1)":            realOf(math.Exp(1) * math.Exp(-1)),
		"log(n)":                      realOf(math.Log(10)),
		"pow(2, n) + pow(4, 0.5)":     realOf(1026),
		"1 << 4 | 1 << 2 + 1":         wholeOf(24),
		"6 & 3 ^ 1 | 8":               wholeOf(11),
		"6 ^ 3 & 1":                   wholeOf(7),
		"5 & 4 == 4":                  wholeOf(1),
		"(5 & 4) == 4":                wholeOf(1),
		"8 | 2 && 0":                  wholeOf(0),
		"1 < 2 << 3":                  wholeOf(1),
		"-16 >> 2":                    wholeOf(-4),
		"~n & 0xff":                   wholeOf(245),
		"!~-1":                        wholeOf(1),
		"-1 << 63":                    wholeOf(-1 << 63),
		"sum(j, n, j * j) + 1":        wholeOf(286),
		"sum(j, 3, a[j] / 2.0)":       realOf(12),
		"sum(j, 3, sum(k, j, j + k))": wholeOf(6),
		"sum(n, n, n) + n":            wholeOf(55), // its name hides another
		"sum(j, 0, 1 / 0)":            wholeOf(0),
	} {
		e := expr(t, text)
		require.NoError(t, e.fault, text)
		got, err := e.eval(scope)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		root := fold(e.root, scope)
		folded, err := root.eval(scope)
		require.NoError(t, err, text)
		assert.Equal(t, want, folded, text)
	}
}

func TestFaultsInExpressionsAreSaid(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "ends where a number or a name should follow",
		"1 +":                  "ends where a number or a name should follow",
		"1 2":                  `has "2" where it should end or an operator should follow`,
		"(1":                   "lacks a closing parenthesis",
		"a[1":                  "lacks a closing bracket",
		"tan(1)":               `calls "tan"; valid functions: ` + functionNames,
		"min(1)":               "gives min 1 argument; it takes 2",
		"sum(j, 2)":            "gives sum 2 arguments; it takes 3",
		"sum(2, 2, 1)":         `gives sum "2"; it takes a name, a number and an expression that uses the name`,
		"sum(j, 2, 1":          "lacks a closing parenthesis",
		"1.2.3":                `has "1.2.3" where a number or a name should be`,
		"1 $ 2":                `has "$" where it should end or an operator should follow`,
		"99999999999999999999": `has "99999999999999999999" where a number or a name should be`,
	} {
		assert.EqualError(t, expr(t, text).fault, want, text)
	}
	for text, want := range map[string]string{
		"m":                              `"m" is unknown`,
		"1 / 0":                          `"1 / 0" divides by zero`,
		"9223372036854775807 + 1":        `"9223372036854775807 + 1" exceeds 64 bits`,
		"4611686018427387904 * 2":        `"4611686018427387904 * 2" exceeds 64 bits`,
		"a * 2":                          `"a * 2" has * between an address and a whole number; an array takes + and - with a whole number of elements`,
		"min(a, 1)":                      `"min(a, 1)" gives min an address; it takes numbers`,
		"a[0.5]":                         `"a[0.5]" has an index that is a number with a fraction; valid: a whole number`,
		"ceildiv(1, 0)":                  `"ceildiv(1, 0)" divides 1 by 0 rounding up; both must be whole, and the divisor above 0`,
		"1 << 63":                        `"1 << 63" exceeds 64 bits`,
		"1 << 64":                        `"1 << 64" shifts by 64; valid: 0 to 63`,
		"1 >> -1":                        `"1 >> -1" shifts by -1; valid: 0 to 63`,
		"1.5 & 1":                        `"1.5 & 1" has & with a number with a fraction; valid: whole numbers, as int makes them`,
		"~0.5":                           `"~0.5" has ^ with a number with a fraction; valid: whole numbers, as int makes them`,
		"int(log(0))":                    `"int(log(0))" exceeds 64 bits`,
		"int(1e300)":                     `"int(1e300)" exceeds 64 bits`,
		"sum(j, 2, k)":                   `"sum(j, 2, k)" is unknown`,
		"sum(j, 2, a + j)":               `"sum(j, 2, a + j)" adds an address; valid: numbers`,
		"sum(j, 0.5, j)":                 `"sum(j, 0.5, j)" sums over 0.5 values of j; valid: whole numbers from 0 to 16777216`,
		"sum(j, 1 << 25, j)":             `"sum(j, 1 << 25, j)" sums over 33554432 values of j; valid: whole numbers from 0 to 16777216`,
		"sum(j, 1 << 20, sum(k, 17, k))": `"sum(j, 1 << 20, sum(k, 17, k))" sums over 17 values of k; valid: whole numbers from 0 to 16`,
	} {
		_, err := expr(t, text).eval(table{})
		assert.EqualError(t, err, want, text)
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"ceildiv(n, 128) + a[1] * -2", "select(n % 3 == 0 || !n, 1.5e3, a)", "~n << 3 >> 1 ^ pow(n, 2) | 1 & n", "((((", "a[a[a[", "sum(j, n, sum(k, j, a[k] * j))"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := expr(t, text)
		if e.fault == nil {
			e.eval(arrayless{table{"n": wholeOf(3)}})
		}
	})
}

// arrayless has no elements to read.
type arrayless struct{ table }

func (arrayless) element(string, int64) (value, error) { return value{}, errors.New("has no arrays") }
