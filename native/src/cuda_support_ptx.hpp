// cuda_support.cu as PTX (see there how it is made).
#pragma once

namespace whitecap {

inline constexpr char kCudaSupportPtx[] = R"ptx(
.version 7.0
.target sm_60
.address_size 64
.extern .func cudaGraphSetConditional
(
	.param .b64 cudaGraphSetConditional_param_0,
	.param .b32 cudaGraphSetConditional_param_1
)
;
.visible .entry wc_condition(
	.param .u64 wc_condition_param_0,
	.param .u64 wc_condition_param_1,
	.param .u64 wc_condition_param_2
)
{
	.reg .pred 	%p<5>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [wc_condition_param_0];
	ld.param.u64 	%rd2, [wc_condition_param_1];
	ld.param.u64 	%rd3, [wc_condition_param_2];
	cvta.to.global.u64 	%rd4, %rd3;
	ld.global.u32 	%r1, [%rd4];
	setp.eq.s64 	%p1, %rd1, 0;
	@%p1 bra 	$L__BB0_2;
	setp.ne.s32 	%p2, %r1, 0;
	selp.u32 	%r2, 1, 0, %p2;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd1;
	.param .b32 param1;
	st.param.b32 	[param1+0], %r2;
	call.uni 
	cudaGraphSetConditional, 
	(
	param0, 
	param1
	);
	} // callseq 0
$L__BB0_2:
	setp.eq.s64 	%p3, %rd2, 0;
	@%p3 bra 	$L__BB0_4;
	setp.eq.s32 	%p4, %r1, 0;
	selp.u32 	%r3, 1, 0, %p4;
	{ // callseq 1, 0
	.reg .b32 temp_param_reg;
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd2;
	.param .b32 param1;
	st.param.b32 	[param1+0], %r3;
	call.uni 
	cudaGraphSetConditional, 
	(
	param0, 
	param1
	);
	} // callseq 1
$L__BB0_4:
	ret;
}
.visible .entry wc_tile_words(
	.param .u64 wc_tile_words_param_0,
	.param .u64 wc_tile_words_param_1,
	.param .u32 wc_tile_words_param_2,
	.param .u64 wc_tile_words_param_3
)
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<10>;
	.reg .b64 	%rd<25>;
	ld.param.u64 	%rd12, [wc_tile_words_param_0];
	ld.param.u64 	%rd13, [wc_tile_words_param_1];
	ld.param.u32 	%r1, [wc_tile_words_param_2];
	ld.param.u64 	%rd14, [wc_tile_words_param_3];
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mov.u32 	%r3, %ctaid.x;
	mul.wide.u32 	%rd15, %r3, %r2;
	mov.u32 	%r4, %tid.x;
	cvt.u64.u32 	%rd16, %r4;
	add.s64 	%rd23, %rd15, %rd16;
	setp.ge.u64 	%p1, %rd23, %rd14;
	@%p1 bra 	$L__BB1_6;
	cvt.u64.u32 	%rd3, %r1;
	mov.u32 	%r5, %nctaid.x;
	cvt.u64.u32 	%rd17, %r5;
	mul.lo.s64 	%rd4, %rd17, %rd1;
	cvta.to.global.u64 	%rd5, %rd13;
	cvta.to.global.u64 	%rd6, %rd12;
	cvt.u32.u64 	%r6, %rd3;
$L__BB1_2:
	and.b64  	%rd18, %rd23, -4294967296;
	setp.eq.s64 	%p2, %rd18, 0;
	@%p2 bra 	$L__BB1_4;
	rem.u64 	%rd24, %rd23, %rd3;
	bra.uni 	$L__BB1_5;
$L__BB1_4:
	cvt.u32.u64 	%r7, %rd23;
	rem.u32 	%r8, %r7, %r6;
	cvt.u64.u32 	%rd24, %r8;
$L__BB1_5:
	shl.b64 	%rd19, %rd24, 2;
	add.s64 	%rd20, %rd5, %rd19;
	ld.global.u32 	%r9, [%rd20];
	shl.b64 	%rd21, %rd23, 2;
	add.s64 	%rd22, %rd6, %rd21;
	st.global.u32 	[%rd22], %r9;
	add.s64 	%rd23, %rd23, %rd4;
	setp.lt.u64 	%p3, %rd23, %rd14;
	@%p3 bra 	$L__BB1_2;
$L__BB1_6:
	ret;
}
.visible .entry wc_tile_bytes(
	.param .u64 wc_tile_bytes_param_0,
	.param .u64 wc_tile_bytes_param_1,
	.param .u32 wc_tile_bytes_param_2,
	.param .u64 wc_tile_bytes_param_3
)
{
	.reg .pred 	%p<4>;
	.reg .b16 	%rs<2>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<23>;
	ld.param.u64 	%rd12, [wc_tile_bytes_param_0];
	ld.param.u64 	%rd13, [wc_tile_bytes_param_1];
	ld.param.u32 	%r1, [wc_tile_bytes_param_2];
	ld.param.u64 	%rd14, [wc_tile_bytes_param_3];
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd1, %r2;
	mov.u32 	%r3, %ctaid.x;
	mul.wide.u32 	%rd15, %r3, %r2;
	mov.u32 	%r4, %tid.x;
	cvt.u64.u32 	%rd16, %r4;
	add.s64 	%rd21, %rd15, %rd16;
	setp.ge.u64 	%p1, %rd21, %rd14;
	@%p1 bra 	$L__BB2_6;
	cvt.u64.u32 	%rd3, %r1;
	mov.u32 	%r5, %nctaid.x;
	cvt.u64.u32 	%rd17, %r5;
	mul.lo.s64 	%rd4, %rd17, %rd1;
	cvta.to.global.u64 	%rd5, %rd13;
	cvta.to.global.u64 	%rd6, %rd12;
	cvt.u32.u64 	%r6, %rd3;
$L__BB2_2:
	and.b64  	%rd18, %rd21, -4294967296;
	setp.eq.s64 	%p2, %rd18, 0;
	@%p2 bra 	$L__BB2_4;
	rem.u64 	%rd22, %rd21, %rd3;
	bra.uni 	$L__BB2_5;
$L__BB2_4:
	cvt.u32.u64 	%r7, %rd21;
	rem.u32 	%r8, %r7, %r6;
	cvt.u64.u32 	%rd22, %r8;
$L__BB2_5:
	add.s64 	%rd19, %rd5, %rd22;
	ld.global.u8 	%rs1, [%rd19];
	add.s64 	%rd20, %rd6, %rd21;
	st.global.u8 	[%rd20], %rs1;
	add.s64 	%rd21, %rd21, %rd4;
	setp.lt.u64 	%p3, %rd21, %rd14;
	@%p3 bra 	$L__BB2_2;
$L__BB2_6:
	ret;
}
)ptx";

}  // namespace whitecap
