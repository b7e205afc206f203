/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditional access table (ISO/IEC 13818-1 2.4.4.6). */
#include "worker/si/table.h"

void si_cat(struct si_section *s, json_t *record)
{
	struct bytes rest = bits_rest(&s->body);

	si_put_descriptors(record, (struct desc_loop){ rest.data, rest.len });
}
