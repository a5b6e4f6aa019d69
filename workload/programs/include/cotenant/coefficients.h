// Polynomials of the mathematical functions, the constant first. Made by tools/coefficients.py.
#pragma once

namespace __ct {
// 2 / pi in words of 64 bits, the integer part first.
__CT_TABLE unsigned long long two_over_pi[] = {0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
// The first zeros of J0, as two numbers each.
__CT_TABLE double j0_zeros[] = {0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53, 0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54, 0x1.14eb56cccdecap+3, -0x1.51970714c7c25p-52};
// The first zeros of J1, as two numbers each.
__CT_TABLE double j1_zeros[] = {0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53, 0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54, 0x1.458d0d0bdfc29p+3, 0x1.02610a51562b6p-51};
// Zero 1 of Y0, as two numbers.
__CT_TABLE double y0_1_zero[] = {0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56};
// Zero 2 of Y0, as two numbers.
__CT_TABLE double y0_2_zero[] = {0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54};
// Zero 3 of Y0, as two numbers.
__CT_TABLE double y0_3_zero[] = {0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54};
// Zero 1 of Y1, as two numbers.
__CT_TABLE double y1_1_zero[] = {0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55};
// Zero 2 of Y1, as two numbers.
__CT_TABLE double y1_2_zero[] = {0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52};
// Zero 3 of Y1, as two numbers.
__CT_TABLE double y1_3_zero[] = {0x1.13127ae6169b4p+3, 0x1.479cc068d9046p-52};
// (e^x - 1 - x) / x^2, x from -0.3473 to 0.3473: weighted error below 2^-28.2.
__CT_TABLE float exp_f[] = {0x1.0000000000000p-1f, 0x1.55548a0000000p-3f, 0x1.5554e20000000p-5f, 0x1.123e700000000p-7f, 0x1.6d53ca0000000p-10f};
// (e^x - 1 - x) / x^2, x from -0.3473 to 0.3473: weighted error below 2^-57.9.
__CT_TABLE double exp_d[] = {0x1.000000000000cp-1, 0x1.555555555555cp-3, 0x1.555555554fda4p-5, 0x1.111111110e9cdp-7, 0x1.6c16c18628e70p-10, 0x1.a01a01b460b55p-13, 0x1.a0199547f113ap-16, 0x1.71ddee1c0b8a6p-19, 0x1.28b170cebd01bp-22, 0x1.af6f2c2f0fa99p-26};
// (e^x - 1 - x) / x^2, small beside x, x from -0.5001 to 0.5001: weighted error below 2^-27.7.
__CT_TABLE float expm1_f[] = {0x1.0000020000000p-1f, 0x1.5555560000000p-3f, 0x1.5552040000000p-5f, 0x1.110fbc0000000p-7f, 0x1.6f1bc80000000p-10f, 0x1.a2b2940000000p-13f};
// (e^x - 1 - x) / x^2, small beside x, x from -0.5001 to 0.5001: weighted error below 2^-60.7.
__CT_TABLE double expm1_d[] = {0x1.0000000000000p-1, 0x1.5555555555555p-3, 0x1.555555555559dp-5, 0x1.1111111111222p-7, 0x1.6c16c16bfd1cep-10, 0x1.a01a019fcaf44p-13, 0x1.a01a0206c4369p-16, 0x1.71de3b05ce1c0p-19, 0x1.27e440beeb3a7p-22, 0x1.ae62bdb92406bp-26, 0x1.20297325ba75fp-29, 0x1.62fd7371eb01fp-33};
// (sin x - x) / x^3 in x^2, x from 0 to 0.6175: weighted error below 2^-28.0.
__CT_TABLE float sin_f[] = {-0x1.5555460000000p-3f, 0x1.11077c0000000p-7f, -0x1.9955ae0000000p-13f};
// (sin x - x) / x^3 in x^2, x from 0 to 0.6175: weighted error below 2^-57.9.
__CT_TABLE double sin_d[] = {-0x1.5555555555548p-3, 0x1.111111110f775p-7, -0x1.a01a019bf64f9p-13, 0x1.71de3563061f1p-19, -0x1.ae5e57a5da082p-26, 0x1.5d8f1f34d7826p-33};
// (cos x - 1) / x^2 in x^2, x from 0 to 0.6175: weighted error below 2^-33.1.
__CT_TABLE float cos_f[] = {-0x1.0000000000000p-1f, 0x1.55554a0000000p-5f, -0x1.6c0c2e0000000p-10f, 0x1.99eac20000000p-16f};
// (cos x - 1) / x^2 in x^2, x from 0 to 0.6175: weighted error below 2^-64.1.
__CT_TABLE double cos_d[] = {-0x1.0000000000000p-1, 0x1.555555555554bp-5, -0x1.6c16c16c15046p-10, 0x1.a01a019c9697fp-16, -0x1.27e4f7f80e86ap-22, 0x1.1ee9e0a72e614p-29, -0x1.8fa9264a4b273p-37};
// (tan x - x) / x^3 in x^2, x from 0 to 0.6175: weighted error below 2^-29.3.
__CT_TABLE float tan_f[] = {0x1.5555620000000p-2f, 0x1.110d340000000p-3f, 0x1.bae96c0000000p-5f, 0x1.5c33a60000000p-6f, 0x1.655c120000000p-7f, 0x1.f305e40000000p-18f, 0x1.214aae0000000p-8f};
// (tan x - x) / x^3 in x^2, x from 0 to 0.6175: weighted error below 2^-59.7.
__CT_TABLE double tan_d[] = {0x1.555555555555ep-2, 0x1.11111111105dap-3, 0x1.ba1ba1babe697p-5, 0x1.664f485d6213ep-6, 0x1.226e3a77b774fp-7, 0x1.d6d2e9908b180p-9, 0x1.7db17040ac49dp-10, 0x1.34bd71bb2822bp-11, 0x1.ff19891a3d939p-13, 0x1.5eed60c56b2c4p-14, 0x1.1911fc6c4b972p-14, -0x1.a963641e669a5p-16, 0x1.95f2856b385d9p-15, -0x1.95253514eddc2p-16, 0x1.47d4b14731355p-17};
// (sin pi x - pi x) / x^3 in x^2, x from 0 to 0.0626: weighted error below 2^-26.2.
__CT_TABLE float sinpi_f[] = {-0x1.4abbbe0000000p+2f, 0x1.465fc60000000p+1f, -0x1.2dbdfa0000000p-1f};
// (sin pi x - pi x) / x^3 in x^2, x from 0 to 0.0626: weighted error below 2^-56.3.
__CT_TABLE double sinpi_d[] = {-0x1.4abbce625be46p+2, 0x1.466bc67758c7ep+1, -0x1.32d2cce3219e0p-1, 0x1.5078300a64481p-4, -0x1.e300971d53d9fp-8, 0x1.e3feaa6639200p-12};
// (cos pi x - 1) / x^2 in x^2, x from 0 to 0.0626: weighted error below 2^-31.0.
__CT_TABLE float cospi_f[] = {-0x1.3bd3cc0000000p+2f, 0x1.03c1b60000000p+2f, -0x1.55b6840000000p+0f, 0x1.d61e480000000p-3f};
// (cos pi x - 1) / x^2 in x^2, x from 0 to 0.0626: weighted error below 2^-61.2.
__CT_TABLE double cospi_d[] = {-0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5a65p+2, -0x1.55d3c7e3c2d83p+0, 0x1.e1f5067b07324p-3, -0x1.a6d1e6b73a41cp-6, 0x1.f9c842e18f9d8p-10, -0x1.b14c205156d29p-14};
// (asin x - x) / x^3 in x^2, x from 0 to 0.2501: weighted error below 2^-27.5.
__CT_TABLE float asin_f[] = {0x1.5555ca0000000p-3f, 0x1.3301a40000000p-4f, 0x1.7481d80000000p-5f, 0x1.8c14920000000p-6f, 0x1.5976000000000p-5f};
// (asin x - x) / x^3 in x^2, x from 0 to 0.2501: weighted error below 2^-55.8.
__CT_TABLE double asin_d[] = {0x1.555555555538dp-3, 0x1.333333336e690p-4, 0x1.6db6db42ae621p-5, 0x1.f1c72c21a1db0p-6, 0x1.6e89f6cb027a1p-6, 0x1.1c6bb83cd1fadp-6, 0x1.c701142f78b7fp-7, 0x1.8eaccfc3784d9p-7, 0x1.ac8f9791cd138p-8, 0x1.3f721f3ed88c8p-6, -0x1.090934ec70e09p-6, 0x1.052986a088daep-5};
// (atan x - x) / x^3 in x^2, x from 0 to 1: weighted error below 2^-28.4.
__CT_TABLE float atan_f[] = {-0x1.55553c0000000p-2f, 0x1.99917e0000000p-3f, -0x1.241cce0000000p-3f, 0x1.c069840000000p-4f, -0x1.57ad2e0000000p-4f, 0x1.d90b2e0000000p-5f, -0x1.fb72500000000p-6f, 0x1.621fc20000000p-7f, -0x1.d005e80000000p-10f};
// (atan x - x) / x^3 in x^2, x from 0 to 1: weighted error below 2^-57.5.
__CT_TABLE double atan_d[] = {-0x1.5555555555522p-2, 0x1.999999999515dp-3, -0x1.24924923714b0p-3, 0x1.c71c717cd20e3p-4, -0x1.745d117c96606p-4, 0x1.3b13646e994e6p-4, -0x1.110e4015025cdp-4, 0x1.e1bae190ca785p-5, -0x1.ae5b1cca7a597p-5, 0x1.82cfc2af19ccep-5, -0x1.59877ae81c2a8p-5, 0x1.2bf52d6bdaac4p-5, -0x1.e947297d190b2p-6, 0x1.676384ff6c7aap-6, -0x1.c5fa82f8204b4p-7, 0x1.d58001c57c4bcp-8, -0x1.77f3d103b61cep-9, 0x1.b0c9fa50168c0p-11, -0x1.3c7658a28b763p-13, 0x1.b78ad47367a0ap-17};
// (sinh x - x) / x^3 in x^2, x from 0 to 1.001: weighted error below 2^-31.3.
__CT_TABLE float sinh_f[] = {0x1.5555560000000p-3f, 0x1.1110ec0000000p-7f, 0x1.a01acc0000000p-13f, 0x1.76adc00000000p-19f};
// (sinh x - x) / x^3 in x^2, x from 0 to 1.001: weighted error below 2^-62.6.
__CT_TABLE double sinh_d[] = {0x1.5555555555555p-3, 0x1.111111111117cp-7, 0x1.a01a01a00dbc1p-13, 0x1.71de3a6097d87p-19, 0x1.ae644b504704ap-26, 0x1.612aa79b667d3p-33, 0x1.aaca9e555cf3ep-41, 0x1.3e1e4b3ec1be7p-48};
// (tanh x - x) / x^3 in x^2, x from 0 to 0.36: weighted error below 2^-28.5.
__CT_TABLE float tanh_f[] = {-0x1.55553e0000000p-2f, 0x1.1109c20000000p-3f, -0x1.b89b860000000p-5f, 0x1.54ca200000000p-6f, -0x1.82a7d80000000p-8f};
// (tanh x - x) / x^3 in x^2, x from 0 to 0.36: weighted error below 2^-62.7.
__CT_TABLE double tanh_d[] = {-0x1.5555555555554p-2, 0x1.1111111110f03p-3, -0x1.ba1ba1b9f8d78p-5, 0x1.664f487993461p-6, -0x1.226e33f3b5bf8p-7, 0x1.d6d3898a20db1p-9, -0x1.7d9eb358fadf5p-10, 0x1.3521f77824257p-11, -0x1.f21bf9579d4b9p-13, 0x1.83f5f113eb434p-14, -0x1.059c966bd42a7p-15, 0x1.b4ae2c91df18dp-18};
// (log(1 + x) - x) / x^2, x from -0.3335 to 0.3335: weighted error below 2^-27.5.
__CT_TABLE float log_f[] = {-0x1.0000000000000p-1f, 0x1.5554fe0000000p-2f, -0x1.ffff060000000p-3f, 0x1.99d3460000000p-3f, -0x1.559a840000000p-3f, 0x1.1eab120000000p-3f, -0x1.f361c00000000p-4f, 0x1.1f28fa0000000p-3f, -0x1.0767660000000p-3f};
// (log2(1 + x) - x log2 e) / x^2, x from -0.3335 to 0.3335: weighted error below 2^-27.0.
__CT_TABLE float log2_f[] = {-0x1.7154780000000p-1f, 0x1.ec70220000000p-2f, -0x1.7152a00000000p-2f, 0x1.279ff80000000p-2f, -0x1.ed11980000000p-3f, 0x1.9d9e760000000p-3f, -0x1.65ae1a0000000p-3f, 0x1.9e17880000000p-3f, -0x1.8562fe0000000p-3f};
// (2 atanh s - 2 s) / s^3 in s^2, x from 0 to 0.0296: weighted error below 2^-58.4.
__CT_TABLE double atanh_d[] = {0x1.5555555555597p-1, 0x1.999999997e6e7p-2, 0x1.249249432b2e7p-2, 0x1.c71c510b308e2p-3, 0x1.7466737c234e5p-3, 0x1.399c59ecf2951p-3, 0x1.2f3c946c1c15ap-3};
// (2 atanh s - 2 s - 2/3 s^3) / s^5 in s^2, x from 0 to 0.0401: weighted error below 2^-33.4.
__CT_TABLE float atanh2_f[] = {0x1.999aa80000000p-2f, 0x1.2418360000000p-2f, 0x1.e9284a0000000p-3f};
// (2 atanh s - 2 s - 2/3 s^3) / s^5 in s^2, x from 0 to 0.0401: weighted error below 2^-67.9.
__CT_TABLE double atanh2_d[] = {0x1.9999999999964p-2, 0x1.249249249937bp-2, 0x1.c71c71bbfdb97p-3, 0x1.745d1be9a45cbp-3, 0x1.3b1292195a831p-3, 0x1.113abcc8ba7bfp-3, 0x1.dabe7e3957a58p-4, 0x1.01b14c074b916p-3};
// erf x / x - 1 in x^2, x from 0 to 1: weighted error below 2^-29.5.
__CT_TABLE float erf_f[] = {0x1.06eba80000000p-3f, -0x1.8127400000000p-2f, 0x1.ce2d500000000p-4f, -0x1.b7fe8e0000000p-6f, 0x1.542dec0000000p-8f, -0x1.a509780000000p-11f, 0x1.4c2e9a0000000p-14f};
// erf x / x - 1 in x^2, x from 0 to 1: weighted error below 2^-56.2.
__CT_TABLE double erf_d[] = {0x1.06eba8214db69p-3, -0x1.812746b0379fdp-2, 0x1.ce2f21a04362dp-4, -0x1.b82ce312abefap-6, 0x1.565bcd1298d18p-8, -0x1.c02db49af4f94p-11, 0x1.f9a335358458ap-14, -0x1.f4d33341c2f12p-17, 0x1.b9ee9171e8629p-20, -0x1.5f98022dc7bcep-23, 0x1.fc77061401ae9p-27, -0x1.46736b6c4aac3p-30, 0x1.29673ee64a7b8p-34};
// (1 + 2 x) erfcx x in (x - 4) / (x + 4), x from -1 to 1: weighted error below 2^-54.2.
__CT_TABLE double erfcx_d[] = {0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a287p-3, 0x1.f7f5df66fbf92p-7, 0x1.16ecefcfa4d75p-4, -0x1.9ddb23c3e0717p-4, 0x1.7fee004e1e5e5p-4, -0x1.0fb06dfee77dep-4, 0x1.3079edf524bf0p-5, -0x1.0962386d643bep-6, 0x1.49c672df1ac90p-8, -0x1.8d4aaaa7fe0adp-11, -0x1.a1df5d4974bddp-13, 0x1.3be12c65f3db2p-13, -0x1.99538ddc9a65dp-16, -0x1.78a7457488cbcp-17, 0x1.7ef6eaa3f0f09p-18, 0x1.400af17a3c87ep-22, -0x1.b8d3f744bcc24p-21, 0x1.3173c61896b99p-24, 0x1.c8c1706da9c6bp-24, -0x1.1906bd23c3a14p-26, -0x1.a8579f5d7764cp-27, 0x1.aff246d11c00bp-30, 0x1.001a5108cf61fp-30};
// (1 + 2 x) erfcx x in (x - 4) / (x + 4), x from -1 to 1: weighted error below 2^-24.8.
__CT_TABLE float erfcx_f[] = {0x1.3ba5920000000p+0f, -0x1.1df1aa0000000p-3f, 0x1.f7eea00000000p-7f, 0x1.16ec200000000p-4f, -0x1.9dd4e20000000p-4f, 0x1.7ff5380000000p-4f, -0x1.0fc0be0000000p-4f, 0x1.3043400000000p-5f, -0x1.092f580000000p-6f, 0x1.4d033c0000000p-8f, -0x1.8692680000000p-11f, -0x1.042f0e0000000p-12f, 0x1.069ff20000000p-13f};
// log gamma(2 + t) / t, x from -0.5001 to 0.5001: weighted error below 2^-57.5.
__CT_TABLE double lgamma_d[] = {0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a55759ep-4, 0x1.51322ac7d87ccp-6, -0x1.e404fc21b2a5fp-8, 0x1.7add6ead4917dp-9, -0x1.38ac5c1620fdcp-10, 0x1.0b36afbf0a240p-11, -0x1.d3fd5b55db1a7p-13, 0x1.a1278f1485decp-14, -0x1.78db50a9f6423p-15, 0x1.58140d9449046p-16, -0x1.3d2093e39aa06p-17, 0x1.24db27e9ed9a7p-18, -0x1.0997709b2b630p-19, 0x1.0e9fc47b866e1p-20, -0x1.587cd72d54013p-21, 0x1.cb0b34ded589fp-25, 0x1.058e4e0fb4b36p-22, 0x1.524f145118053p-22, -0x1.3686ca7e5cbe8p-22, -0x1.87267ee811529p-23};
// gamma(2 + t), x from -0.5001 to 0.5001: weighted error below 2^-59.1.
__CT_TABLE double gamma_d[] = {0x1.0000000000000p+0, 0x1.b0ee6072093cep-2, 0x1.a5b978b96becbp-2, 0x1.4e239984650a6p-4, 0x1.301fbb0f23cd4p-4, -0x1.17f3740ec4086p-12, 0x1.6d7eeacd191adp-7, -0x1.75e6e90cceae8p-9, 0x1.13c4487275c04p-9, -0x1.e21f19251155bp-11, 0x1.011b23df065edp-11, -0x1.f94b36884e005p-13, 0x1.fe3f250791323p-14, -0x1.fddd01bea7345p-15, 0x1.0078f81893e16p-15, -0x1.00b89ed78bca5p-16, 0x1.e49881962bbecp-18, -0x1.e2ddcf1645656p-19, 0x1.5fee67addfb82p-19, -0x1.634d662faa7edp-20};
// x (log gamma x - (x - 1/2) log x + x - log(2 pi) / 2) in 1 / x^2, x from 0 to 0.01563: weighted error below 2^-57.6.
__CT_TABLE double stirling_d[] = {0x1.5555555555555p-4, -0x1.6c16c16c107ebp-9, 0x1.a01a015bea6eep-11, -0x1.38132f1072c72p-11, 0x1.b91ebf406e172p-11, -0x1.ee08a55440947p-10, 0x1.41f2521c71dddp-8, 0x1.4751577789917p-10};
// (J0 (x) - 1) / x^2 in x^2, x from 0 to 1.7: weighted error below 2^-73.2.
__CT_TABLE double j0_small_d[] = {-0x1.0000000000000p-2, 0x1.0000000000000p-6, -0x1.c71c71c71c71bp-12, 0x1.c71c71c71c43cp-18, -0x1.2345678986dd5p-24, 0x1.02e85be949f30p-31, -0x1.522a2572f7397p-39, 0x1.52190d8073205p-47, -0x1.05f5143c8427bp-55};
// (J1 (x) / x - 1/2) / x^2 in x^2, x from 0 to 1: weighted error below 2^-71.4.
__CT_TABLE double j1_small_d[] = {-0x1.0000000000000p-4, 0x1.5555555555555p-9, -0x1.c71c71c71c611p-15, 0x1.6c16c16c0251ep-21, -0x1.845c89f34b5a1p-28, 0x1.27e4e99cdd1a5p-35, -0x1.521c68b0e5f69p-43, 0x1.271a62d6d45a5p-51};
// Y0 (x) less its logarithm in x^2, x from 0 to 1.7: weighted error below 2^-57.4.
__CT_TABLE double y0_small_d[] = {0x1.78493e90ba294p-2, 0x1.139ccf287ee7fp-4, -0x1.2cc7eb028dff1p-7, 0x1.6bf03b3a519fap-12, -0x1.b45f206980b6fp-18, 0x1.3c5d1f3f8ad90p-24, -0x1.34b364908677dp-31, 0x1.b45e9b830acc2p-39, -0x1.42238f3e36c15p-46, 0x1.831767f542341p-51};
// J0 less its zeros, x^2 = 32 t + 32, x from -1 to 1: weighted error below 2^-54.1.
__CT_TABLE double j0_d[] = {-0x1.bf5476c0ed835p-16, 0x1.ef7b16178a92ep-16, -0x1.e3fa7b13ac158p-17, 0x1.19a1b2886ddc1p-18, -0x1.bc248dfa408d8p-21, 0x1.feca5d1cc23a5p-24, -0x1.c1a7453ee2ddap-27, 0x1.39ad2e78af666p-30, -0x1.640404f187a6fp-34, 0x1.4f8d47e2180a7p-38, -0x1.0b1d31934ae2ep-42, 0x1.6deb2af8f7986p-47, -0x1.70a14025563b4p-52, -0x1.be1a4c7a99e41p-55, -0x1.205e9f1b396e9p-55, 0x1.452edcbe3836bp-55, 0x1.11b3b7f139181p-57, -0x1.3758dd90e5803p-57};
// Y0 less its logarithm, x^2 = 32 t + 32, x from -1 to 1: weighted error below 2^-55.1.
__CT_TABLE double y0_d[] = {-0x1.72b74bbdd8607p-2, -0x1.abf36a4259870p-2, 0x1.5c66ef4d2f660p+0, -0x1.b31e39bdf5eadp-3, -0x1.3d1a3c2cf3d92p-1, 0x1.cb0102d915ef0p-2, -0x1.3c7dc9b8c42d6p-3, 0x1.14e9baa57d851p-5, -0x1.571530a364e77p-8, 0x1.400b23ed496bbp-11, -0x1.d43ce5d8e3e31p-15, 0x1.14a059cc3da47p-18, -0x1.0dfb672f2e3e2p-22, 0x1.bb2ea162ef2d7p-27, -0x1.36a04fd6c3566p-31, 0x1.76f08658e2c62p-36, -0x1.5963e34482c9fp-41, 0x1.0b3a42de34c8bp-45};
// P0 of large arguments in (8 / x)^2, x from 0 to 1: weighted error below 2^-64.7.
__CT_TABLE double p0_d[] = {0x1.0000000000000p+0, -0x1.1ffffffffffcbp-10, 0x1.cb5fffffa7b84p-16, -0x1.251ee7973101dp-19, 0x1.84bcdaa62f5c8p-22, -0x1.b805b4c3e01f4p-24, 0x1.7b07f4418e0fcp-25, -0x1.c806dfa70c143p-26, 0x1.5b65f34e69624p-26, -0x1.261e9eb2a5cb2p-26, 0x1.e1a7c0f22ef82p-27, -0x1.534a8308c55fdp-27, 0x1.7631e5119242ap-28, -0x1.265fcb3695099p-29, 0x1.21a42a842572dp-31, -0x1.09c2b5fedd067p-34};
// x Q0 of large arguments in (8 / x)^2, x from 0 to 1: weighted error below 2^-61.4.
__CT_TABLE double q0_d[] = {-0x1.0000000000000p-3, 0x1.2bffffffffdf0p-10, -0x1.d11dfffe4687bp-15, 0x1.ba4c5771dce95p-18, -0x1.861604f10580ep-20, 0x1.139bfc124de40p-21, -0x1.1c587f2e85ecfp-22, 0x1.8c20549a67b79p-23, -0x1.5149dd4240c08p-23, 0x1.3412619a04d32p-23, -0x1.089e26fd66214p-23, 0x1.8003bd6304fe1p-24, -0x1.af8b59b29ccbdp-25, 0x1.57bac99b5e32ap-26, -0x1.551e83867676ep-28, 0x1.3af0385abbc5fp-31};
// I0 (x), over x for I1, in x^2 / 64, x from 1e-20 to 1: weighted error below 2^-66.2.
__CT_TABLE double i0_d[] = {0x1.0000000000000p+0, 0x1.0000000000000p+4, 0x1.0000000000000p+6, 0x1.c71c71c71c71cp+6, 0x1.c71c71c71c738p+6, 0x1.23456789aba0ep+6, 0x1.02e85c089df42p+5, 0x1.522a43f58babbp+3, 0x1.522a440b143d3p+1, 0x1.0b3130ff19b18p-1, 0x1.5601b3adb6736p-4, 0x1.69c70b9f76006p-7, 0x1.41d096f0d4ecbp-10, 0x1.e1c538e9fee4ep-14, 0x1.6efdc22a8afe8p-17, -0x1.26bec7cf74a7ep-21, 0x1.a21d78f212ef8p-21, -0x1.404a962c9b885p-22, 0x1.402f259af8d27p-24, -0x1.21c5dc0fb3626p-27};
// sqrt(x) e^-x I0 (x) in 8 / x, x from 0 to 1: weighted error below 2^-54.0.
__CT_TABLE double ilarge0_d[] = {0x1.9884533d43650p-2, 0x1.9884533d4dbc1p-8, 0x1.cb94dd3ada29dp-12, 0x1.debbe3d17fed9p-15, 0x1.6e1a20a4353f0p-17, 0x1.957cb4537c8aep-19, -0x1.56963b150148ep-19, 0x1.0ffd0e84cc8b2p-15, -0x1.cb7177cccc17cp-13, 0x1.25b650e5fc3c2p-10, -0x1.1de267f6ef7a9p-8, 0x1.ad15659c79058p-7, -0x1.f3be532555d2cp-6, 0x1.c48004ff15e99p-5, -0x1.3da8d18df541ap-4, 0x1.571ef53eb9a53p-4, -0x1.1937c68624771p-4, 0x1.5611148431fddp-5, -0x1.29ee2918dabbdp-6, 0x1.5dd5a07412ba8p-8, -0x1.eda56dc8c9eecp-11, 0x1.3a231bcfb7c8ep-14};
// J1 less its zeros, x^2 = 32 t + 32, x from -1 to 1: weighted error below 2^-53.7.
__CT_TABLE double j1_d[] = {-0x1.6e07fc146ce70p-19, 0x1.568e3cbb4ee85p-19, -0x1.20d17aa0a1707p-20, 0x1.2718c1880395bp-22, -0x1.9e31ea49aaf08p-25, 0x1.acc0923e06012p-28, -0x1.56eb3955af604p-31, 0x1.b6231ef825afep-35, -0x1.ca79afc088337p-39, 0x1.90be5e0e94daep-43, -0x1.290ea45934e6ap-47, 0x1.7314dee9ca99bp-52, -0x1.4c7e74dae6f46p-56, 0x1.2b69353aa3f6cp-57, 0x1.1b306823ea715p-58, -0x1.4aeb0584bc8cdp-58, -0x1.0f39462ba2af1p-60, 0x1.3a336bf22af27p-60};
// Y1 less its logarithm, x^2 = 32 t + 32, x from -1 to 1: weighted error below 2^-59.3.
__CT_TABLE double y1_d[] = {0x1.717b235185ceep-5, -0x1.a92eafb5bfbebp-3, 0x1.719265d0c16fcp-4, 0x1.eda6c04165178p-4, -0x1.02e87689eed4ep-3, 0x1.bd905758959f6p-5, -0x1.cf132a6767a95p-7, 0x1.4b3c8c2a8e4b7p-9, -0x1.5deef864f12c9p-12, 0x1.1dbf18b21811cp-15, -0x1.74a8010fa69a9p-19, 0x1.8dcde166ac851p-23, -0x1.626f71c90aaedp-27, 0x1.0bc88aeede897p-31, -0x1.5b52c0bd322dbp-36, 0x1.8bbf1dce54398p-41, -0x1.de75e3eeaeaabp-46, -0x1.d6459442318ecp-51};
// P1 of large arguments in (8 / x)^2, x from 0 to 1: weighted error below 2^-64.6.
__CT_TABLE double p1_d[] = {0x1.0000000000000p+0, 0x1.dffffffffffc9p-10, -0x1.274fffffd1ff7p-15, 0x1.5a6a579284debp-19, -0x1.b891ca3128923p-22, 0x1.e657d71e506efp-24, -0x1.9c04e97b7d1dfp-25, 0x1.ea060741960acp-26, -0x1.726562d62c597p-26, 0x1.3812adc90fafdp-26, -0x1.fd9feb4c1873ep-27, 0x1.666d15f31ed92p-27, -0x1.8af1028e14618p-28, 0x1.3687c1a46497bp-29, -0x1.3170839466312p-31, 0x1.18335ca02ee4fp-34};
// x Q1 of large arguments in (8 / x)^2, x from 0 to 1: weighted error below 2^-61.3.
__CT_TABLE double q1_d[] = {0x1.8000000000000p-2, -0x1.a3ffffffffdd6p-10, 0x1.1c3cffff1874bp-14, -0x1.fe581658382d5p-18, 0x1.b3fa8926a9179p-20, -0x1.2ddc4ecc64519p-21, 0x1.331f8e184fdcfp-22, -0x1.a7ac1a829b063p-23, 0x1.6658d14cbc7f3p-23, -0x1.45f0aa4f1fd18p-23, 0x1.174475bd38135p-23, -0x1.94ab46860b4a8p-24, 0x1.c65552e51a799p-25, -0x1.69a978fa0e2f3p-26, 0x1.66c41b4efd528p-28, -0x1.4b21c2b88eb22p-31};
// I1 (x), over x for I1, in x^2 / 64, x from 1e-20 to 1: weighted error below 2^-63.9.
__CT_TABLE double i1_d[] = {0x1.0000000000000p-1, 0x1.0000000000000p+2, 0x1.5555555555555p+3, 0x1.c71c71c71c738p+3, 0x1.6c16c16c16873p+3, 0x1.845c8a0ceda1dp+2, 0x1.27e4fb76bd9ecp+1, 0x1.522a4410598cdp-1, 0x1.2c97567ca6b55p-3, 0x1.ab823bc70f7b8p-6, 0x1.f16e660671e7bp-9, 0x1.e3043770bb68fp-12, 0x1.8264c174f2140p-15, 0x1.8213ba07c06d4p-18, -0x1.7d938b2ee8f9ep-20, 0x1.7d07f4daada12p-20, -0x1.b25e6f9087288p-21, 0x1.56ffb73d6b819p-22, -0x1.490f1f8f063b7p-24, 0x1.220261d72615bp-27};
// sqrt(x) e^-x I1 (x) in 8 / x, x from 0 to 1: weighted error below 2^-54.0.
__CT_TABLE double ilarge1_d[] = {0x1.9884533d43651p-2, -0x1.32633e6df50fcp-6, -0x1.7efc0dd499d50p-11, -0x1.4f1cf5eb65ee0p-14, -0x1.d6d218f0a86b6p-17, -0x1.e851c1ded9d71p-19, 0x1.467c9a993b20cp-19, -0x1.136711468120bp-15, 0x1.d02d010ad325bp-13, -0x1.2866b192c1d5fp-10, 0x1.200242c12c147p-8, -0x1.af52ac366c1c9p-7, 0x1.f4f8d8030b139p-6, -0x1.c413dc880d4c0p-5, 0x1.3c0b8ee8dc11cp-4, -0x1.53a2c4715b9aep-4, 0x1.149bb6de40613p-4, -0x1.4dd26e906b12ep-5, 0x1.1fe0b459cd1e5p-6, -0x1.4dbf57da54d50p-8, 0x1.cf15bc9995edbp-11, -0x1.1ff54928f33e6p-14};
// Y0 (zero 1 + t) / t, x from -0.4 to 0.4: weighted error below 2^-55.7.
__CT_TABLE double y0_1_d[] = {0x1.c24371844b88ap-1, -0x1.f7e38a46d7102p-2, 0x1.c3b1338af3ca4p-3, -0x1.cf18e6a4b37e3p-3, 0x1.c068086c49433p-3, -0x1.a396a805b017dp-3, 0x1.9424b921a7524p-3, -0x1.8d35b4779e796p-3, 0x1.8c08d462dbbc2p-3, -0x1.8f7e363eaedd8p-3, 0x1.96ddea451f80fp-3, -0x1.a1b648ea66342p-3, 0x1.afd72109d9bf5p-3, -0x1.c0f01c31811b8p-3, 0x1.d37123384891ap-3, -0x1.eaf475c7aa9b4p-3, 0x1.0e7de614ce662p-2, -0x1.1b4ca0d84392cp-2, 0x1.61c6f63721485p-3, -0x1.ab3f87fd0a814p-3, 0x1.1ed4d6a00dbb4p+0, -0x1.06868dc1da7a4p+0, -0x1.ce4c179fecafdp+1, 0x1.86e705278e441p+1, 0x1.b0414b3d91ca5p+3, -0x1.7e57a0f608646p+3, -0x1.9223fb915637ep+4, 0x1.64607763c5cffp+4, 0x1.78826a486ec3ep+4, -0x1.55f07e1ffabb0p+4};
// Y0 (zero 2 + t) / t, x from -1.1 to 1.1: weighted error below 2^-56.0.
__CT_TABLE double y0_2_d[] = {-0x1.9c34256a12a0cp-2, 0x1.a09c9290367eep-5, 0x1.df6d59bf50e77p-5, -0x1.c116fdc597f5fp-8, -0x1.1e32bc4ef1c00p-9, 0x1.9982765130bc0p-13, 0x1.ab2c1fd8b0932p-15, -0x1.4863719eeedd3p-18, -0x1.3b21260d7a052p-22, -0x1.7772142797424p-26, 0x1.451dd386b2c8bp-26, -0x1.f65d9a8e1180ep-29, 0x1.ab34c1cb9a907p-31, -0x1.a1f6dc2b9d22ap-33, 0x1.d303a3c9eb147p-36, -0x1.0875f642918b6p-38, 0x1.ad8f6b5e73430p-36, -0x1.32c255c681fb6p-37, -0x1.34af4e287ac5ap-36, 0x1.c32011f11b3eap-38, 0x1.425e070752b91p-37, -0x1.ceebb56061e58p-39, -0x1.81aa796d6632cp-39, 0x1.119edf34b7c84p-40, 0x1.96b54b8532aa4p-42, -0x1.1d7af3195bcc1p-43};
// Y0 (zero 3 + t) / t, x from -1.1 to 1.1: weighted error below 2^-53.7.
__CT_TABLE double y0_3_d[] = {0x1.334cca0697a5bp-2, -0x1.5aef611fc4d58p-6, -0x1.8969c64cbf531p-5, 0x1.b2f14a955297bp-9, 0x1.1d35e85ff0a1ap-9, -0x1.26dd71e3b6f1bp-13, -0x1.8177e52ba0233p-15, 0x1.6a92279230fe9p-19, 0x1.34aab34857c95p-21, -0x1.0a28955e0f4e2p-25, -0x1.449174054ead2p-28, 0x1.fc1d18d257e64p-33, 0x1.67666fb102252p-35, -0x1.a2479da19d33dp-39, -0x1.39d8e447f6de4p-36, 0x1.4b09a94c29802p-39, 0x1.1e5a92f45aff7p-36, -0x1.309851b57f0b3p-39, -0x1.4a6a794044fdap-37, 0x1.6085bab89e508p-40, 0x1.b2dc1ebdb209bp-39, -0x1.d118df4f7b87ep-42, -0x1.f1e0a89745712p-42, 0x1.0acc3130b3954p-44};
// Y1 (zero 1 + t) / t, x from -0.5 to 0.5: weighted error below 2^-54.7.
__CT_TABLE double y1_1_d[] = {0x1.0aa48442f014bp-1, -0x1.e56f82217b8f2p-4, -0x1.0d2af4e9327b3p-5, -0x1.3a6dec3728100p-8, 0x1.e671c7d21a9e3p-8, -0x1.5429dc5b3529bp-9, 0x1.17ab4a1539cfdp-10, -0x1.0b2d86a7fec0cp-11, 0x1.eea8a1293fe67p-13, -0x1.c3fbb89323db8p-14, 0x1.9cd067e1809f6p-15, -0x1.7914fa6505831p-16, 0x1.66b55f7f23ef8p-17, -0x1.4768284adbbcfp-18, -0x1.a538d43b19446p-20, 0x1.8db30674518bbp-21, 0x1.74d67e5f003cep-16, -0x1.58bead31b5b69p-17, -0x1.6687338cfd10fp-14, 0x1.4b7f4f079c400p-15, 0x1.c3287aeed5297p-13, -0x1.a10485f0ae8a0p-14, -0x1.48060890e82a9p-12, 0x1.2f21e62458bc1p-13, 0x1.a3cf30fd07b26p-13, -0x1.83e1a21b1f72cp-14};
// Y1 (zero 2 + t) / t, x from -1.1 to 1.1: weighted error below 2^-53.7.
__CT_TABLE double y1_2_d[] = {-0x1.5c7c556f0c19ap-2, 0x1.00b9f8571ca1fp-5, 0x1.a15d92dfe3f4bp-5, -0x1.10a329e2c24e2p-8, -0x1.1be6db994072ep-9, 0x1.337c7e13c62ddp-13, 0x1.85b9413f8374fp-15, -0x1.806191f756332p-19, -0x1.255ef6e4b6505p-21, 0x1.b62f2f8190f7fp-26, 0x1.81c97c1780132p-28, -0x1.aa6c5c3f4ae33p-32, -0x1.5f1ddf4722d0dp-35, 0x1.e798571a7f689p-40, 0x1.503acb4e1a388p-34, -0x1.91ba5e270a8e8p-37, -0x1.901d40bd0318ep-34, 0x1.e413605dd5fd0p-37, 0x1.4374f1f165337p-34, -0x1.8c04f130d693fp-37, -0x1.4e98957cede93p-35, 0x1.9da32d3347b65p-38, 0x1.909ff8c1dabc6p-37, -0x1.f346cdc6f7526p-40, -0x1.a6424fd19f8eap-40, 0x1.08ec6b8a55f16p-42};
// Y1 (zero 3 + t) / t, x from -1.1 to 1.1: weighted error below 2^-55.0.
__CT_TABLE double y1_3_d[] = {0x1.15f993fceab5cp-2, -0x1.02b3933cf21b1p-6, -0x1.6395dfe49fc91p-5, 0x1.3ced2a2e6913cp-9, 0x1.07a678d5fb747p-9, -0x1.b50d7e1d26de5p-14, -0x1.6f7bab07047a0p-15, 0x1.176e72b3512a8p-19, 0x1.2beca85c6b5b1p-21, -0x1.a384d2047f010p-26, -0x1.41d9c6c243f03p-28, 0x1.9e0aaefc2b81dp-33, 0x1.d4e329d2656d8p-36, -0x1.0433ce7d2cc06p-40, 0x1.6ab746ce6a202p-40, -0x1.1fb5045a518d4p-43, -0x1.034d24b71716ep-40, 0x1.893e1964cb47fp-44, 0x1.7b2d72097e5eap-42, -0x1.22a008dcbbb51p-45, -0x1.db48067ba0d8fp-45, 0x1.6f976133fcbdap-48};
} // namespace __ct
