//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Eight columns at a time. An element of 64 bits has its pattern in the lower half; PACK gathers
// those of eight elements in their order.

#define PACK(at, out) \
	VMOVUPS (at), out; \
	VSHUFPS $0x88, 32(at), out, out; \
	VPERMQ  $0xd8, out, out

// ALL broadcasts a constant.
#define ALL(value, x, y) \
	MOVL         $value, AX; \
	VMOVD        AX, x; \
	VPBROADCASTD x, y

#define NONE 0xfff00000

// HALF turns patterns of f16 into f32: the fields are those of an f32 whose exponent is less by 112.
// Y8 has the bits of a magnitude, Y9 the factor.
#define HALF(v, tmp) \
	VPAND  Y8, v, tmp; \
	VPXOR  tmp, v, v; \
	VPSLLD $16, v, v; \
	VPSLLD $13, tmp, tmp; \
	VMULPS Y9, tmp, tmp; \
	VPOR   tmp, v, v

// STORE stores eight significands, in [1, 2) or less for subnormal numbers of f16, and exponents.
// Y2 has the lanes that are zero.
#define STORE(sig, exp) \
	VPANDN  sig, Y2, sig; \
	VMOVUPS sig, (DI); \
	VBLENDVPS Y2, Y14, exp, exp; \
	VMOVUPS exp, decoded_exponent(DI); \
	ADDQ    $32, DI; \
	ADDQ    $64, SI; \
	SUBQ    $8, CX

// func decodeHalves(to *decoded, patterns *uint64, n int) bool
TEXT ·decodeHalves(SB), NOSPLIT, $0-25
	MOVQ  to+0(FP), DI
	MOVQ  patterns+8(FP), SI
	MOVQ  n+16(FP), CX
	VPXOR Y15, Y15, Y15
	ALL(NONE, X14, Y14)
	ALL(127, X13, Y13)
	ALL(0xfffffff2, X12, Y12) // -14
	ALL(15, X11, Y11)
	VPXOR Y10, Y10, Y10
	ALL(0x7fff, X8, Y8)
	ALL(0x77800000, X9, Y9)   // 2^112

halves:
	PACK(SI, Y0)
	HALF(Y0, Y3)
	VPCMPEQD Y10, Y3, Y2
	VPSRLD   $23, Y3, Y1
	VPSUBD   Y13, Y1, Y1
	VPMAXSD  Y12, Y1, Y1
	VPCMPGTD Y11, Y1, Y4
	VPOR     Y4, Y15, Y15
	VPSUBD   Y1, Y13, Y4
	VPSLLD   $23, Y4, Y4
	VMULPS   Y4, Y0, Y0
	STORE(Y0, Y1)
	JNZ      halves
	VPTEST   Y15, Y15
	SETEQ    AX
	VZEROUPPER
	MOVB     AX, ret+24(FP)
	RET

// func decodeSingles(to *decoded, patterns *uint64, n int, shift uint64, mask uint32) bool
TEXT ·decodeSingles(SB), NOSPLIT, $0-41
	MOVQ  to+0(FP), DI
	MOVQ  patterns+8(FP), SI
	MOVQ  n+16(FP), CX
	VMOVQ shift+24(FP), X7
	VPXOR Y15, Y15, Y15
	ALL(NONE, X14, Y14)
	ALL(127, X13, Y13)
	ALL(0x807fffff, X12, Y12)
	ALL(0x3f800000, X11, Y11)
	VPXOR Y10, Y10, Y10
	ALL(255, X9, Y9)
	MOVL  mask+32(FP), AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

singles:
	PACK(SI, Y0)
	VPSLLD   X7, Y0, Y0
	VPAND    Y8, Y0, Y0
	VPSLLD   $1, Y0, Y1
	VPCMPEQD Y10, Y1, Y2
	VPSRLD   $24, Y1, Y1
	VPCMPEQD Y10, Y1, Y3
	VPANDN   Y3, Y2, Y3
	VPOR     Y3, Y15, Y15
	VPCMPEQD Y9, Y1, Y3
	VPOR     Y3, Y15, Y15
	VPSUBD   Y13, Y1, Y1
	VPAND    Y12, Y0, Y0
	VPOR     Y11, Y0, Y0
	STORE(Y0, Y1)
	JNZ      singles
	VPTEST   Y15, Y15
	SETEQ    AX
	VZEROUPPER
	MOVB     AX, ret+40(FP)
	RET

// HIGHEST takes the exponent of a product into the greatest ones.
#define HIGHEST(k) \
	VPBROADCASTD (4*k+decoded_exponent)(R11), Y5; \
	VPADDD       (32*k+decoded_exponent)(R12), Y5, Y5; \
	VPMAXSD      Y5, Y1, Y1

// TERM adds a product, cut off toward zero. A term whose scale is less than 2^-27 is cut to nothing.
#define TERM(k, sum) \
	VPBROADCASTD (4*k+decoded_exponent)(R11), Y5; \
	VBROADCASTSS (4*k)(R11), Y6; \
	VPADDD       (32*k+decoded_exponent)(R12), Y5, Y5; \
	VMULPS       (32*k)(R12), Y6, Y6; \
	VPADDD       Y4, Y5, Y5; \
	VPMAXSD      Y12, Y5, Y5; \
	VPSLLD       $23, Y5, Y5; \
	VMULPS       Y5, Y6, Y6; \
	VCVTTPS2DQ   Y6, Y6; \
	VPADDD       Y6, sum, sum

// func multiplyRows(p *product) bool
//
// Y0 has the accumulators, Y1 the greatest exponents, Y2 and Y3 the sums of terms with even and with
// odd numbers, Y4 what makes an exponent that of a term's scale.
TEXT ·multiplyRows(SB), NOSPLIT, $0-9
	MOVQ         p+0(FP), DI
	MOVQ         product_a(DI), SI
	MOVQ         product_c(DI), R8
	MOVQ         product_d(DI), R9
	MOVQ         product_rows(DI), R10
	VPXOR        Y15, Y15, Y15
	ALL(NONE, X14, Y14)
	VPBROADCASTD product_base(DI), Y13
	ALL(100, X12, Y12)
	ALL(127, X11, Y11)
	VPXOR        Y10, Y10, Y10
	ALL(0x7fff, X8, Y8)
	ALL(0x77800000, X9, Y9)

row:
	PACK(R8, Y0)
	ADDQ $64, R8
	CMPB product_halfC(DI), $0
	JEQ  whole
	HALF(Y0, Y5)

whole:
	MOVQ  SI, R11
	MOVQ  product_b(DI), R12
	MOVQ  product_steps(DI), R13
	VPSLLD   $1, Y0, Y5
	VPSRLD   $24, Y5, Y5
	ALL(254, X7, Y7)
	VPCMPGTD Y7, Y5, Y5
	VPOR     Y5, Y15, Y15

step:
	VPSLLD   $1, Y0, Y5
	VPCMPEQD Y10, Y5, Y7        // zero
	VPSRLD   $24, Y5, Y5
	VPCMPEQD Y10, Y5, Y6
	VPANDN   Y6, Y7, Y6         // subnormal
	VPOR     Y6, Y15, Y15
	VPSUBD   Y11, Y5, Y3        // exponent
	VPBROADCASTD product_least(DI), Y1
	VPMAXSD  Y3, Y1, Y1
	VBLENDVPS Y7, Y14, Y1, Y1
	MOVQ     R11, BX
	MOVQ     R12, DX
	MOVQ     product_fours(DI), CX

highest:
	HIGHEST(0)
	HIGHEST(1)
	HIGHEST(2)
	HIGHEST(3)
	ADDQ $16, R11
	ADDQ $128, R12
	DECQ CX
	JNZ  highest
	MOVQ BX, R11
	MOVQ DX, R12

	VPSUBD   Y1, Y13, Y4
	VPADDD   Y4, Y3, Y5
	VPMAXSD  Y12, Y5, Y5
	VPSLLD   $23, Y5, Y5
	ALL(0x807fffff, X6, Y6)
	VPAND    Y6, Y0, Y2
	ALL(0x3f800000, X6, Y6)
	VPOR     Y6, Y2, Y2
	VMULPS   Y5, Y2, Y2
	VPANDN   Y2, Y7, Y2
	VCVTTPS2DQ Y2, Y2
	VPXOR    Y3, Y3, Y3
	MOVQ     product_fours(DI), CX

terms:
	TERM(0, Y2)
	TERM(1, Y3)
	TERM(2, Y2)
	TERM(3, Y3)
	ADDQ $16, R11
	ADDQ $128, R12
	DECQ CX
	JNZ  terms

	// The sums, exact in float64, then cut to the result's fraction.
	VCVTDQ2PD    X2, Y5
	VCVTDQ2PD    X3, Y6
	VADDPD       Y6, Y5, Y5
	VEXTRACTI128 $1, Y2, X2
	VEXTRACTI128 $1, Y3, X3
	VCVTDQ2PD    X2, Y2
	VCVTDQ2PD    X3, Y3
	VADDPD       Y3, Y2, Y2
	VPBROADCASTQ product_cut(DI), Y6
	VANDPD       Y6, Y5, Y3
	VANDPD       Y6, Y2, Y7
	CMPB         product_halfD(DI), $0
	JEQ          cut

	// Where something is lost, the last bit of the f32 is set, so that rounding it to f16 is
	// rounding the sum.
	VCMPPD       $4, Y5, Y3, Y5
	VCMPPD       $4, Y2, Y7, Y2
	MOVL         $0x20000000, AX
	VMOVQ        AX, X6
	VPBROADCASTQ X6, Y6
	VANDPD       Y6, Y5, Y5
	VANDPD       Y6, Y2, Y2
	VORPD        Y5, Y3, Y3
	VORPD        Y2, Y7, Y7

cut:
	VCVTPD2PSY  Y3, X3
	VCVTPD2PSY  Y7, X7
	VINSERTF128 $1, X7, Y3, Y0
	VPSUBD      Y4, Y11, Y4     // exponent of a sum of 1
	VPSRLD      $23, Y0, Y5
	ALL(255, X7, Y7)
	VPAND       Y7, Y5, Y5
	VPCMPEQD    Y10, Y5, Y2     // zero
	VPADDD      Y4, Y5, Y5
	VPCMPGTD    Y10, Y5, Y6     // at least 1
	VPCMPGTD    Y5, Y7, Y7      // less than 255
	VPAND       Y6, Y7, Y7
	VPOR        Y2, Y7, Y7      // fine
	VPCMPEQD    Y6, Y6, Y6
	VPXOR       Y6, Y7, Y7
	VPOR        Y7, Y15, Y15
	VPSLLD      $23, Y4, Y4
	VPADDD      Y4, Y0, Y0
	VPANDN      Y0, Y2, Y0
	CMPB        product_halfD(DI), $0
	JEQ         full
	VCVTPS2PH   $0, Y0, X7
	VCVTPH2PS   X7, Y0
	VPSLLD      $1, Y0, Y5
	VPSRLD      $24, Y5, Y5
	ALL(254, X6, Y6)
	VPCMPGTD    Y6, Y5, Y5
	VPOR        Y5, Y15, Y15

full:
	DECQ R13
	JNZ  step

	CMPB product_halfD(DI), $0
	JEQ  store32
	VPMOVZXWD X7, Y0

store32:
	VPMOVZXDQ    X0, Y5
	VEXTRACTI128 $1, Y0, X0
	VPMOVZXDQ    X0, Y6
	VMOVUPS      Y5, (R9)
	VMOVUPS      Y6, 32(R9)
	ADDQ         $64, R9
	MOVQ         R11, SI
	DECQ         R10
	JNZ          row

	VPTEST Y15, Y15
	SETEQ  AX
	VZEROUPPER
	MOVB   AX, ret+8(FP)
	RET

// func decodeBytes(to *[512]int32, patterns *uint64, n int, signed bool)
TEXT ·decodeBytes(SB), NOSPLIT, $0-25
	MOVQ to+0(FP), DI
	MOVQ patterns+8(FP), SI
	MOVQ n+16(FP), CX
	MOVB signed+24(FP), BX

bytes:
	PACK(SI, Y0)
	VPSLLD $24, Y0, Y0
	CMPB   BX, $0
	JEQ    unsigned
	VPSRAD $24, Y0, Y0
	JMP    decoded

unsigned:
	VPSRLD $24, Y0, Y0

decoded:
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $64, SI
	SUBQ    $8, CX
	JNZ     bytes
	VZEROUPPER
	RET

// func multiplyBytes(p *integers)
TEXT ·multiplyBytes(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), DI
	MOVQ integers_a(DI), SI
	MOVQ integers_c(DI), R8
	MOVQ integers_d(DI), R9
	MOVQ integers_rows(DI), R10
	ALL(0x7fffffff, X8, Y8)

byteRow:
	MOVQ  integers_b(DI), R12
	MOVQ  integers_depth(DI), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

byteTerms:
	VPBROADCASTD (SI), Y2
	VPMULLD      (R12), Y2, Y2
	VPADDD       Y2, Y0, Y0
	VPBROADCASTD 4(SI), Y3
	VPMULLD      32(R12), Y3, Y3
	VPADDD       Y3, Y1, Y1
	ADDQ         $8, SI
	ADDQ         $64, R12
	SUBQ         $2, CX
	JNZ          byteTerms

	VPADDD Y1, Y0, Y0
	PACK(R8, Y1)
	ADDQ   $64, R8
	VPADDD Y1, Y0, Y2
	CMPB   integers_saturate(DI), $0
	JEQ    byteStore

	// Where both terms have a sign that the sum has not, the limit of that sign.
	VPXOR     Y0, Y2, Y3
	VPXOR     Y1, Y2, Y4
	VPAND     Y3, Y4, Y3
	VPSRAD    $31, Y1, Y4
	VPXOR     Y8, Y4, Y4
	VBLENDVPS Y3, Y4, Y2, Y2

byteStore:
	VPMOVZXDQ    X2, Y5
	VEXTRACTI128 $1, Y2, X2
	VPMOVZXDQ    X2, Y6
	VMOVDQU      Y5, (R9)
	VMOVDQU      Y6, 32(R9)
	ADDQ         $64, R9
	DECQ         R10
	JNZ          byteRow
	VZEROUPPER
	RET
