/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/core_choice.h"

#include "common/base/log.h"
#include "worker/csa/core.h"

#include <stddef.h>

const struct csa_core *csa_choose(struct csa_choice *choice)
{
	const struct csa_core *core;

	if (choice->made)
		return choice->core;
	for (size_t i = 0; (core = csa_core(i)) != NULL; i++) {
		if (csa_core_agrees(core))
			break;
		log_error("stream", "CSA: the %s code and libdvbcsa give "
				    "different results on this processor: this "
				    "code is not used",
			  core->name);
	}
	choice->made = true;
	choice->core = core;
	return core;
}
