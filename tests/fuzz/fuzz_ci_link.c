/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a module (TPDU), each with its length in front: an object never
 * exceeds its limit. */
#include "tests/fuzz/fuzz.h"
#include "worker/adapter/ci/ci_link.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ci_link *link = malloc(sizeof *link);
	uint8_t to[CI_SEND_MAX];

	if (link == NULL)
		abort();
	(void)ci_link_create(link, to);
	while (size > 0) {
		size_t n = data[0] < size - 1 ? data[0] : size - 1;
		uint8_t *message = malloc(n > 0 ? n : 1);
		int r;

		if (message == NULL)
			abort();
		memcpy(message, data + 1, n);
		r = ci_link_take(link, message, n);
		free(message);
		if (link->n > CI_SPDU_MAX ||
		    (r >= 0 && r & CI_LINK_OBJECT && link->n == 0))
			abort();
		data += 1 + n;
		size -= 1 + n;
	}
	free(link);
	return 0;
}
