//go:build !purego

#include "textflag.h"

// The constants of sine.go, with their signs.
#define TURN     0
#define INTEGER  8
#define QUARTER  16
#define REST     24
#define FAR      32
#define ABS      40
#define SIGN     48
#define UNIT     56
#define HALF     64
#define ONE      72
#define SIN      80
#define COS      128

// C broadcasts a constant.
#define C(offset, to) VBROADCASTSD offset(BX), to

// HORNER multiplies by z, in Y2, and adds the next coefficient.
#define HORNER(offset, sum) \
	VMULPD Y2, sum, sum; \
	C(offset, Y5); \
	VADDPD Y5, sum, sum

// POLYNOMIAL is that of six coefficients, of z.
#define POLYNOMIAL(offset, sum) \
	C(offset, sum); \
	HORNER(offset+8, sum); \
	HORNER(offset+16, sum); \
	HORNER(offset+24, sum); \
	HORNER(offset+32, sum); \
	HORNER(offset+40, sum)

// func sineLanes(sin, cos, of *slot, constants *[22]float64) bool
//
// Four lanes at a time, in the order of operations of sines.compute.
TEXT ·sineLanes(SB), NOSPLIT, $0-33
	MOVQ   sin+0(FP), DI
	MOVQ   cos+8(FP), SI
	MOVQ   of+16(FP), DX
	MOVQ   constants+24(FP), BX
	XORL   CX, CX
	VXORPD Y15, Y15, Y15 // lanes that are for the loop
	VXORPD Y14, Y14, Y14

again:
	VMOVUPS   (DX)(CX*1), X0
	VSHUFPS   $0x88, 16(DX)(CX*1), X0, X0
	VCVTPS2PD X0, Y0
	C(ABS, Y1)
	VANDPD    Y1, Y0, Y1
	C(FAR, Y2)
	VCMPPD    $5, Y2, Y1, Y1  // not less
	VORPD     Y1, Y15, Y15
	VCMPPD    $0, Y14, Y0, Y1 // zero
	VORPD     Y1, Y15, Y15

	// Y1 has the quadrant in its low bits; Y0 becomes the rest, Y2 its square.
	C(TURN, Y1)
	VMULPD Y1, Y0, Y1
	C(INTEGER, Y2)
	VADDPD Y2, Y1, Y1
	VSUBPD Y2, Y1, Y4
	C(QUARTER, Y2)
	VMULPD Y2, Y4, Y2
	VSUBPD Y2, Y0, Y0
	C(REST, Y2)
	VMULPD Y2, Y4, Y2
	VSUBPD Y2, Y0, Y0
	VMULPD Y0, Y0, Y2

	// Y3 is the sine.
	POLYNOMIAL(SIN, Y3)
	VMULPD Y2, Y0, Y5
	VMULPD Y3, Y5, Y3
	VADDPD Y3, Y0, Y3

	// Y4 is the cosine.
	POLYNOMIAL(COS, Y4)
	VMULPD Y2, Y2, Y5
	VMULPD Y4, Y5, Y4
	C(HALF, Y5)
	VMULPD Y2, Y5, Y5
	C(ONE, Y6)
	VSUBPD Y5, Y6, Y5
	VADDPD Y4, Y5, Y4

	// They change places in odd quadrants.
	C(UNIT, Y5)
	VPAND  Y5, Y1, Y6
	VPSUBQ Y6, Y14, Y6
	VPXOR  Y3, Y4, Y7
	VPAND  Y6, Y7, Y7
	VPXOR  Y7, Y3, Y3
	VPXOR  Y7, Y4, Y4

	// The upper two quadrants are negative.
	C(SIGN, Y7)
	VPSLLQ $62, Y1, Y6
	VPAND  Y7, Y6, Y6
	VPXOR  Y6, Y3, Y3
	VPADDQ Y5, Y1, Y1
	VPSLLQ $62, Y1, Y6
	VPAND  Y7, Y6, Y6
	VPXOR  Y6, Y4, Y4

	VCVTPD2PSY Y3, X3
	VPMOVZXDQ  X3, Y3
	VMOVDQU    Y3, (DI)(CX*1)
	VCVTPD2PSY Y4, X4
	VPMOVZXDQ  X4, Y4
	VMOVDQU    Y4, (SI)(CX*1)
	ADDQ       $32, CX
	CMPQ       CX, $256
	JNE        again

	VPTEST Y15, Y15
	SETEQ  AX
	VZEROUPPER
	MOVB   AX, ret+32(FP)
	RET
