/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Menus and questions, each with kind and length in front: texts end within
 * their limit. */
#include "tests/fuzz/fuzz.h"
#include "worker/adapter/ci/ci_mmi.h"

#include <stdlib.h>

static const uint32_t tags[] = { MMI_ENQUIRY,  MMI_MENU_LAST, MMI_MENU_MORE,
				 MMI_LIST_LAST, MMI_LIST_MORE };

static void check(const struct ci_mmi *m)
{
	if (m->n > MMI_ITEMS_MAX || (m->more > 0 && m->n < MMI_ITEMS_MAX))
		abort();
	for (size_t i = 0; i < m->n; i++)
		if (strnlen(m->items[i], MMI_TEXT_MAX) == MMI_TEXT_MAX)
			abort();
	if (m->kind != MMI_NONE &&
	    (strnlen(m->title, MMI_TEXT_MAX) == MMI_TEXT_MAX ||
	     strnlen(m->bottom, MMI_TEXT_MAX) == MMI_TEXT_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ci_mmi *m = calloc(1, sizeof *m);

	if (m == NULL)
		abort();
	while (size >= 2) {
		size_t n = data[1] < size - 2 ? data[1] : size - 2;
		struct ci_bytes value = { data + 2, n };

		(void)!ci_mmi_take(m, tags[data[0] % 5], value);
		check(m);
		data += 2 + n;
		size -= 2 + n;
	}
	free(m);
	return 0;
}
