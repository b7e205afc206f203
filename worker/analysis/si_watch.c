/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/si_watch.h"

#include "common/base/crc32.h"
#include "common/base/units.h"
#include "common/base/util.h"

#include <string.h>

enum {
	PROBES = 8, /* records in which a sub-table may be */
	/* Packets by which positions may be wrong: the packets of PCRs and of
	 * the sections themselves. */
	GAP_TOLERANCE = 2,
	/* Tolerance: the time of arrival is that of the wake-up that read the
	 * packet, which may be later. */
	GRAIN_MS = 200,
	/* Another sub-table may get the record of a sub-table that had no
	 * sections for this time. */
	FORGOTTEN_S = 600,
	PRESENT_MS = 2000, /* TR 101 290 3.6.a */
	CAT_MAX_MS = 10000,
	CAT_HEADER = 8, /* bytes in front of the descriptors */
	CRC_LEN = 4,
};

void si_watch_init(struct si_watch *w)
{
	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < SI_PIDS; i++)
		section_init(&w->assemblers[i], w->buffers[i], SECTION_MAX);
}

void si_watch_set_rate(struct si_watch *w, uint64_t bps)
{
	uint64_t n = bps * SI_GAP_MS / 1000 / 8 / TS_PACKET;

	w->gap_packets = n > GAP_TOLERANCE ? n - GAP_TOLERANCE : 0;
}

/* May a table with this table_id be on the PID (TR 101 290 2.6, 3.1, 3.5 to
 * 3.8)? */
static bool belongs(size_t slot, uint8_t id)
{
	if (slot != SI_SLOT_CAT && id == ST_TABLE_ID)
		return true;
	switch (slot) {
	case SI_SLOT_CAT:
		return id == CAT_TABLE_ID;
	case SI_SLOT_NIT:
		return id == NIT_TABLE_ID || id == NIT_OTHER_TABLE_ID;
	case SI_SLOT_SDT:
		return id == SDT_TABLE_ID || id == SDT_OTHER_TABLE_ID ||
		       id == BAT_TABLE_ID;
	case SI_SLOT_EIT:
		return id >= EIT_TABLE_ID && id <= EIT_LAST_TABLE_ID;
	case SI_SLOT_RST:
		return id == RST_TABLE_ID;
	default:
		return id == TDT_TABLE_ID || id == TOT_TABLE_ID;
	}
}

/* The longest permitted time between two sections of a sub-table, in seconds
 * (TS 101 211 4.4, the longest of its profiles); 0: this check does not apply
 * to the table. */
static unsigned most_s(uint8_t id)
{
	if (id == NIT_OTHER_TABLE_ID || id == SDT_OTHER_TABLE_ID ||
	    id == BAT_TABLE_ID)
		return 10;
	if (id == EIT_OTHER_TABLE_ID)
		return 20;
	if (id >= EIT_SCHEDULE_TABLE_ID && id <= EIT_LAST_TABLE_ID)
		return id <= EIT_SCHEDULE_LAST_TABLE_ID ? 30 : 300;
	return 0;
}

/* Finds or adds the record of a sub-table; NULL: there is no place for it. */
static struct si_sub_table *find_table(struct si_watch *w, uint32_t name,
				       uint64_t now_ns)
{
	uint32_t at = name * UINT32_C(2654435761) >> 16;
	struct si_sub_table *place = NULL;

	for (size_t i = 0; i < PROBES; i++) {
		struct si_sub_table *t =
			&w->tables[(at + i) % SI_SUB_TABLES_MAX];

		if (t->name == name)
			return t;
		if (place == NULL &&
		    (t->name == 0 ||
		     now_ns - t->end_ns > FORGOTTEN_S * SECOND_NS))
			place = t;
	}
	if (place != NULL)
		*place = (struct si_sub_table){ .name = name };
	return place;
}

static void judge_distance(struct si_watch *w, size_t slot,
			   const uint8_t *section, uint64_t nth,
			   uint64_t now_ns)
{
	uint8_t id = section_table_id(section);
	uint32_t extension = section_has_syntax(section)
		? (uint32_t)(section[3] << 8 | section[4]) : 0;
	struct si_sub_table *t = find_table(
		w, (uint32_t)(slot + 1) << 24 | (uint32_t)id << 16 | extension,
		now_ns);

	if (t == NULL)
		return;
	if (t->end_ns != 0 && w->starts[slot] - MIN(w->starts[slot], t->end) <
				      w->gap_packets)
		*(slot == SI_SLOT_RST ? &w->rst_near : &w->near) += 1;
	if (t->end_ns != 0 && most_s(id) > 0 &&
	    now_ns - MAX(t->end_ns, w->resumed_ns) >
		    most_s(id) * SECOND_NS + GRAIN_MS * MS)
		w->late++;
	t->end = nth;
	t->end_ns = now_ns;
}

/* Notes when section 0 or 1 of an EIT present/following arrived, for the
 * service that it names. */
static void take_present(struct si_watch *w, const uint8_t *section,
			 uint64_t now_ns)
{
	uint16_t number = (uint16_t)(section[3] << 8 | section[4]);
	struct si_service *s = w->services;
	size_t i = 0;

	if (!section_has_syntax(section) || section[6] > 1)
		return;
	while (i < w->n_services && s[i].number != number)
		i++;
	if (i == SI_SERVICES_MAX)
		return;
	if (i == w->n_services)
		s[w->n_services++] = (struct si_service){
			number, { now_ns, now_ns } };
	s[i].seen_ns[section[6]] = now_ns;
}

static void take(struct si_watch *w, const uint8_t *section,
		 size_t len, uint64_t now_ns)
{
	bool actual;
	enum si_table table =
		si_table_find(section_table_id(section), &actual);

	/* not watched: tables of other transport streams may stop */
	if (table == SI_TABLES || !actual)
		return;
	/* a TOT is no TDT; but a stream with TOT must have a TDT, so the first
	 * TOT starts the time limit of the TDT */
	if (section_table_id(section) != TOT_TABLE_ID ||
	    w->seen_ns[table] == 0)
		w->seen_ns[table] = now_ns;
	if (table == SI_EIT)
		take_present(w, section, now_ns);
	if (table != SI_CAT || len < CAT_HEADER + CRC_LEN ||
	    len > SI_CAT_MAX || section[6] >= SI_CAT_SECTIONS ||
	    !(section[5] & 1))
		return;
	memcpy(w->cat[section[6]], section, len);
	w->cat_len[section[6]] = len;
	for (size_t i = section[7] + 1u; i < SI_CAT_SECTIONS; i++)
		w->cat_len[i] = 0;
}

void si_watch_feed(struct si_watch *w, const uint8_t *packet, uint64_t nth,
		   uint64_t now_ns)
{
	static const uint16_t pids[SI_PIDS] = {
		[SI_SLOT_CAT] = SI_PID_CAT, [SI_SLOT_NIT] = SI_PID_NIT,
		[SI_SLOT_SDT] = SI_PID_SDT, [SI_SLOT_EIT] = SI_PID_EIT,
		[SI_SLOT_RST] = SI_PID_RST, [SI_SLOT_TDT] = SI_PID_TDT,
	};
	const uint16_t pid = ts_pid(packet);
	size_t slot = 0, len;
	const uint8_t *section;

	while (slot < SI_PIDS && pids[slot] != pid)
		slot++;
	if (slot == SI_PIDS)
		return;
	if (ts_pusi(packet))
		w->starts[slot] = nth;
	section_push(&w->assemblers[slot], packet);
	while ((section = section_pull(&w->assemblers[slot], &len)) != NULL) {
		uint8_t id = section_table_id(section);

		if (!belongs(slot, id)) {
			w->wrong[slot]++;
			continue;
		}
		/* a TOT has a CRC_32 without section_syntax_indicator
		 * (EN 300 468 5.2.6) */
		if (id == TOT_TABLE_ID && !section_has_syntax(section) &&
		    crc32_mpeg(section, len) != 0) {
			w->tot_errors++;
			continue;
		}
		if (slot != SI_SLOT_CAT && id != ST_TABLE_ID)
			judge_distance(w, slot, section, nth, now_ns);
		take(w, section, len, now_ns);
	}
}

void si_watch_resume(struct si_watch *w, uint64_t now_ns)
{
	for (size_t i = 0; i < SI_TABLES; i++)
		if (w->seen_ns[i] != 0)
			w->seen_ns[i] = now_ns;
	for (size_t i = 0; i < w->n_services; i++)
		w->services[i].seen_ns[0] = w->services[i].seen_ns[1] = now_ns;
	w->resumed_ns = now_ns;
}

void si_watch_follow(struct si_watch *w, const struct psi *psi)
{
	for (size_t i = w->n_services; i-- > 0;)
		if (psi_program_find(psi, w->services[i].number) == NULL)
			w->services[i] = w->services[--w->n_services];
}

bool si_service_is_late(const struct si_service *s, uint64_t now_ns)
{
	uint64_t seen_ns = MIN(s->seen_ns[0], s->seen_ns[1]);

	return now_ns > seen_ns &&
	       now_ns - seen_ns > (PRESENT_MS + GRAIN_MS) * MS;
}

struct desc_loop si_watch_cat(const struct si_watch *w, size_t number)
{
	size_t len = w->cat_len[number];

	return (struct desc_loop){ w->cat[number] + CAT_HEADER,
				   len > 0 ? len - CAT_HEADER - CRC_LEN
					   : 0 };
}

bool si_watch_lacks_cat(const struct si_watch *w, uint64_t now_ns)
{
	uint64_t seen_ns = w->seen_ns[SI_CAT];

	return seen_ns == 0 ||
	       (now_ns > seen_ns &&
		now_ns - seen_ns > (CAT_MAX_MS + GRAIN_MS) * MS);
}

uint32_t si_watch_errors(struct si_watch *w)
{
	uint32_t all = w->tot_errors, fresh;

	for (size_t i = 0; i < SI_PIDS; i++)
		all += w->assemblers[i].crc_errors;
	fresh = all - w->errors_before;
	w->errors_before = all;
	return fresh;
}
