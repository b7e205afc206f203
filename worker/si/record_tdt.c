/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time and date, time offset (EN 300 468 5.2.5, 5.2.6). */
#include "worker/si/table.h"

void si_tdt(struct si_section *s, json_t *record)
{
	si_put_time(record, "utc", bits_take(&s->body, 40));
}

void si_tot(struct si_section *s, json_t *record)
{
	si_put_time(record, "utc", bits_take(&s->body, 40));
	bits_skip(&s->body, 4);
	si_put_descriptors(record, si_take_loop(&s->body));
}
