/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service description table (EN 300 468 5.2.3). */
#include "worker/si/table.h"

static void put_service(struct bits *b, json_t *services)
{
	json_t *service = json_object();
	struct desc_loop loop;

	si_put_uint(service, "sid", bits_take(b, 16));
	bits_skip(b, 6);
	si_put_bool(service, "eit_schedule", bits_take(b, 1) != 0);
	si_put_bool(service, "eit_present_following", bits_take(b, 1) != 0);
	si_put_uint(service, "running_status", bits_take(b, 3));
	si_put_bool(service, "free_ca", bits_take(b, 1) != 0);
	loop = si_take_loop(b);
	if (b->cut) {
		json_decref(service);
		return;
	}
	si_put_descriptors(service, loop);
	(void)json_array_append_new(services, service);
}

void si_sdt(struct si_section *s, json_t *record)
{
	json_t *services;

	si_put_uint(record, "tsid", s->extension);
	si_put_uint(record, "onid", bits_take(&s->body, 16));
	bits_skip(&s->body, 8);
	services = si_put_list(record, "services");
	while (!bits_end(&s->body))
		put_service(&s->body, services);
}
