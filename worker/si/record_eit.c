/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event information table (EN 300 468 5.2.4). */
#include "worker/si/table.h"

/* Seconds, from the six decimal digits HHMMSS; nothing when they are not. */
static void put_duration(json_t *event, uint64_t bcd)
{
	uint64_t hhmmss = si_bcd(bcd, 24);

	if (bcd != 0xffffff)
		si_put_uint(event, "duration",
			    hhmmss / 10000 * 3600 + hhmmss / 100 % 100 * 60 +
				    hhmmss % 100);
}

static void put_event(struct bits *b, json_t *events)
{
	json_t *event = json_object();
	struct desc_loop loop;

	si_put_uint(event, "event_id", bits_take(b, 16));
	si_put_time(event, "start", bits_take(b, 40));
	put_duration(event, bits_take(b, 24));
	si_put_uint(event, "running_status", bits_take(b, 3));
	si_put_bool(event, "free_ca", bits_take(b, 1) != 0);
	loop = si_take_loop(b);
	if (b->cut) {
		json_decref(event);
		return;
	}
	si_put_descriptors(event, loop);
	(void)json_array_append_new(events, event);
}

void si_eit(struct si_section *s, json_t *record)
{
	json_t *events;

	si_put_uint(record, "sid", s->extension);
	si_put_uint(record, "tsid", bits_take(&s->body, 16));
	si_put_uint(record, "onid", bits_take(&s->body, 16));
	si_put_uint(record, "segment_last_section_number",
		    bits_take(&s->body, 8));
	si_put_uint(record, "last_table_id", bits_take(&s->body, 8));
	events = si_put_list(record, "events");
	while (!bits_end(&s->body))
		put_event(&s->body, events);
}
