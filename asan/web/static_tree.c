/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Written by web/embed. */
#include "master/http/static_files.h"

__asm__(".section .rodata\n.balign 16\n"
	"static_plain_0:\n"
	".incbin \"web/tree/headend/index.html\"\n.previous\n");
extern const char static_plain_0[];
__asm__(".section .rodata\n.balign 16\n"
	"static_gzip_0:\n"
	".incbin \"web/tree/headend/index.html.gz\"\n.previous\n");
extern const char static_gzip_0[];

static const struct static_file files[] = {
	{ "headend/index.html", static_plain_0, 435, static_gzip_0, 303 },
};

const struct static_tree static_tree = {
"1e20878300bddcee", files, sizeof files / sizeof files[0],
};
