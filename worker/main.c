/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts one role of the worker. */
#include <stdio.h>

int main(void)
{
	(void)fputs("sluice-worker is started by sluice(8)\n", stderr);
	return 64;
}
