/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_others.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/table_versions.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/passed_eits.h"
#include "worker/tables/sdt_other.h"
#include "worker/tables/section_schedule.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum { STATUS_RUNNING = 0x80 }; /* running_status 4, free_CA_mode 0 */

struct own_others {
	unsigned interval_ms;
	enum eit_other eit;
	/* services whose EIT other pass; NULL: no EIT other pass */
	struct passed_eits *passed;
	struct table_versions *versions;
	struct schedule *schedule;
	/* Transport streams of the current list (n, keys) and of the previous
	 * list (n_before, before). */
	size_t n, n_before;
	struct schedule_key keys[NIT_OTHER_MAX], before[NIT_OTHER_MAX];
	/* the sections, while they are built */
	uint8_t sections[SDT_OTHER_SECTIONS_MAX][SECTION_PSI_MAX];
	size_t lens[SDT_OTHER_SECTIONS_MAX];
};

struct own_others *own_others_new(const struct tables_spec *spec,
				  struct table_versions *versions,
				  struct passed_list *passed,
				  struct schedule *schedule)
{
	struct own_others *o;

	if (!spec->sdt_other)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->interval_ms = tables_spec_intervals(spec).sdt_other;
	o->eit = spec->eit_other;
	o->passed = passed_eits_new(o->eit, passed);
	o->versions = versions;
	o->schedule = schedule;
	return o;
}

void own_others_free(struct own_others **o)
{
	if (*o != NULL)
		passed_eits_free(&(*o)->passed);
	free(*o);
	*o = NULL;
}

bool own_others_feed(struct own_others *o, const struct other_guides *others,
		     const struct ts_run *runs, size_t n_runs, uint64_t now_ns)
{
	return o->passed != NULL &&
	       passed_eits_feed(o->passed, others, runs, n_runs, now_ns);
}

void own_others_begin(struct own_others *o)
{
	o->n_before = o->n;
	memcpy(o->before, o->keys, sizeof o->before);
	o->n = 0;
}

static size_t list_services(const struct own_others *o,
			    const struct stream_spec *spec,
			    const struct other_guide *guide,
			    struct sdt_other_service ret[SERVICES_MAX])
{
	struct listed_service s;
	size_t n = 0;

	for (; n < SERVICES_MAX && stream_spec_service(spec, n, &s); n++) {
		size_t place = eit_image_place(guide->image, s.pnr);
		uint8_t status = place < EIT_IMAGE_SERVICES_MAX
				 ? eit_image_status(guide->image, place) : 0;
		bool sent = place < guide->n_sent;
		unsigned passed = passed_eits_of(o->passed, guide->tsid,
						 guide->onid, s.pnr);

		ret[n] = (struct sdt_other_service){
			.pnr = s.pnr, .type = s.type,
			.status = status & EIT_STATUS_LISTED
				? status & EIT_STATUS_MASK : STATUS_RUNNING,
			.has_present = (sent && o->eit != EIT_OTHER_PASS) ||
				       (passed & PASSED_PRESENT),
			.has_schedule = (sent && o->eit == EIT_OTHER_ALL) ||
					(passed & PASSED_SCHEDULE),
			.provider = s.provider, .name = s.name,
			.textcode = spec->remux.textcode,
		};
	}
	return n;
}

void own_others_add(struct own_others *o, const struct stream_spec *spec,
		    const struct other_guide *guide)
{
	struct sdt_other_service services[SERVICES_MAX];
	struct schedule_section list[SDT_OTHER_SECTIONS_MAX];
	const struct sdt_other sdt = {
		.tsid = stream_spec_tsid(spec),
		.onid = guide->onid,
		.services = services,
		.n = list_services(o, spec, guide, services),
	};
	/* with the original_network_id, because streams of different networks
	 * may have the same transport_stream_id */
	const struct schedule_key key = { SI_PID_SDT, SDT_OTHER_TABLE_ID,
					  sdt.tsid, sdt.onid };
	size_t n = sdt_other_build(&sdt, o->sections, o->lens);
	uint64_t hash = HASH_INIT;
	uint8_t version;

	if (o->n == NIT_OTHER_MAX)
		return;
	for (size_t i = 0; i < n; i++)
		hash = hash_add(hash, o->sections[i], o->lens[i]);
	version = table_version_other(o->versions, (struct table_name){
		key.table_id, sdt.tsid }, sdt.onid, hash);
	for (size_t i = 0; i < n; i++) {
		section_set_version(o->sections[i], o->lens[i], version);
		list[i] = (struct schedule_section){ o->sections[i],
						     o->lens[i] };
	}
	(void)schedule_set(o->schedule, &key, o->interval_ms, list, n);
	o->keys[o->n++] = key;
}

void own_others_end(struct own_others *o)
{
	for (size_t i = 0; i < o->n_before; i++) {
		const struct schedule_key *key = &o->before[i];
		size_t k = 0;

		while (k < o->n && (o->keys[k].extension != key->extension ||
				    o->keys[k].part != key->part))
			k++;
		if (k == o->n)
			(void)schedule_set(o->schedule, key, 0, NULL, 0);
	}
}
