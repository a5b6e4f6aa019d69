package cc

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only in assembly with operands a percent sign means something to clang.
func TestPercentSignsOfRegistersAreDoubled(t *testing.T) {
	for text, want := range map[string]string{
		`asm("mov.u32 %0, %smid;" : "=r"(v));`:                             `asm("mov.u32 %0, %%smid;" : "=r"(v));`,
		"asm volatile (\"mov.u64 %0, \"\n\t\"%globaltimer;\" : \"=l\"(v))": "asm volatile (\"mov.u64 %0, \"\n\t\"%%globaltimer;\" : \"=l\"(v))",
		`__asm__ __volatile__("add.u32 %0, %1, %clock;" ::"r"(v))`:         `__asm__ __volatile__("add.u32 %0, %1, %%clock;" ::"r"(v))`,
		`asm("mov.u32 %0, %%laneid;" : "=r"(v)); f("%tid" : 1)`:            `asm("mov.u32 %0, %%laneid;" : "=r"(v)); f("%tid" : 1)`,
		`asm("mov.u32 %[v], %lanemask_lt; // \"" : [v] "=r"(v));`:          `asm("mov.u32 %[v], %%lanemask_lt; // \"" : [v] "=r"(v));`,
		`asm("mov.u32 %r1, %c0;" : : "r"(v));`:                             `asm("mov.u32 %r1, %c0;" : : "r"(v));`,
		`asm("mov.u32 x, %ntid.x;"); printf("%smid: %d", 1);`:              `asm("mov.u32 x, %ntid.x;"); printf("%smid: %d", 1);`,
		`myasm("%smid" : 1)`: `myasm("%smid" : 1)`,
	} {
		assert.Equal(t, want, string(assembly.ReplaceAllFunc([]byte(text), doubled)))
	}
}
