//go:build !purego

#include "textflag.h"

// Eight lanes at a time: a lane's number is the lower half of its element. SHUF
// gathers those of lanes i to i+7, in an order that UNPACK undoes.

#define SHUF(base, tmp, out) \
	VMOVUPS (base)(CX*1), tmp; \
	VSHUFPS $0x88, 32(base)(CX*1), tmp, out

// UNPACK stores the results in Y0, and notes in Y7 which are no numbers.
#define UNPACK \
	VCMPPS    $3, Y0, Y0, Y1; \
	VORPS     Y1, Y7, Y7; \
	VUNPCKLPS Y6, Y0, Y1; \
	VUNPCKHPS Y6, Y0, Y2; \
	VMOVUPS   Y1, (DI)(CX*1); \
	VMOVUPS   Y2, 32(DI)(CX*1)

#define BEGIN \
	XORL   CX, CX; \
	VXORPS Y6, Y6, Y6; \
	VXORPS Y7, Y7, Y7

#define NEXT(again) \
	ADDQ $64, CX; \
	CMPQ CX, $256; \
	JNE  again; \
	VPTEST Y7, Y7; \
	SETEQ  AX; \
	VZEROUPPER

#define TWO(op) \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	BEGIN; \
again: \
	SHUF(SI, Y1, Y0); \
	SHUF(DX, Y3, Y2); \
	op Y2, Y0, Y0; \
	UNPACK; \
	NEXT(again); \
	MOVB AX, ret+24(FP); \
	RET

#define WHOLE(op) \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	XORL CX, CX; \
again: \
	VMOVDQU (SI)(CX*1), Y0; \
	VMOVDQU (DX)(CX*1), Y1; \
	VMOVDQU 32(SI)(CX*1), Y2; \
	VMOVDQU 32(DX)(CX*1), Y3; \
	op      Y1, Y0, Y0; \
	op      Y3, Y2, Y2; \
	VMOVDQU Y0, (DI)(CX*1); \
	VMOVDQU Y2, 32(DI)(CX*1); \
	ADDQ    $64, CX; \
	CMPQ    CX, $256; \
	JNE     again; \
	VZEROUPPER; \
	RET

// func addLanes32(d, a, b *slot) bool
TEXT ·addLanes32(SB), NOSPLIT, $0-25
	TWO(VADDPS)

// func subLanes32(d, a, b *slot) bool
TEXT ·subLanes32(SB), NOSPLIT, $0-25
	TWO(VSUBPS)

// func mulLanes32(d, a, b *slot) bool
TEXT ·mulLanes32(SB), NOSPLIT, $0-25
	TWO(VMULPS)

// func addLanes(d, a, b *slot)
TEXT ·addLanes(SB), NOSPLIT, $0-24
	WHOLE(VPADDQ)

// func subLanes(d, a, b *slot)
TEXT ·subLanes(SB), NOSPLIT, $0-24
	WHOLE(VPSUBQ)

// func fmaLanes32(d, a, b, c *slot) bool
TEXT ·fmaLanes32(SB), NOSPLIT, $0-33
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), BX
	BEGIN

again:
	SHUF(SI, Y1, Y4)
	SHUF(DX, Y3, Y2)
	SHUF(BX, Y5, Y0)
	VFMADD231PS Y2, Y4, Y0
	UNPACK
	NEXT(again)
	MOVB AX, ret+32(FP)
	RET
