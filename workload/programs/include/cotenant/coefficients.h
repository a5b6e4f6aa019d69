// Polynomials of the mathematical functions, the constant first. Made by tools/coefficients.py.
#pragma once

namespace __ct {
// 2 / pi in words of 64 bits, the integer part first.
__CT_TABLE unsigned long long two_over_pi[] = {0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
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
} // namespace __ct
