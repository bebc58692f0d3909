/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of filler at a page boundary in each section, linked just before the testcase's object: the testcase's code
 * and globals then start a page, in both programs and whatever the other files grow to. Without it a global mutex can
 * straddle two cache lines in one of the two programs only.
 */
	.text
	.balign	4096
	.fill	4096, 1, 0

	.data
	.balign	4096
	.fill	4096, 1, 0

	.bss
	.balign	4096
	.skip	4096

	.section .rodata
	.balign	4096
	.fill	4096, 1, 0

	.section .data.rel.ro.local, "aw", %progbits
	.balign	4096
	.fill	4096, 1, 0

	.section .data.rel.ro, "aw", %progbits
	.balign	4096
	.fill	4096, 1, 0

	.section .note.GNU-stack, "", %progbits
