/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master process. */
#include "config.h"

#include <stdio.h>

int main(void)
{
	(void)puts("sluice " PACKAGE_VERSION);
	return 0;
}
