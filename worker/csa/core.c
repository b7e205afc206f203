/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "worker/csa/core.h"

extern const struct csa_core csa_core_avx2, csa_core_avx512;

static const struct csa_core *const cores[] = {
#if CSA_CORES
	&csa_core_avx512,
	&csa_core_avx2,
#endif
	NULL,
};

const struct csa_core *csa_core(size_t i)
{
	const struct csa_core *const *core = cores;

	for (; *core != NULL; core++)
		if ((*core)->usable() && i-- == 0)
			break;
	return *core;
}
