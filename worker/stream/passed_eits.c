/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/passed_eits.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/remux/section_writer.h"
#include "worker/stream/other_guides.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>

enum {
	EIT_HEAD = 14,
	OTHER_SCHEDULE = EIT_SCHEDULE_TABLE_ID + 0x10,
};

/* After this many seconds without a section a part expires: present and
 * following, schedule. */
static const uint32_t patience_s[PASSED_PARTS] = { 60, 900 };

struct passed_eits {
	enum eit_other other;
	uint32_t now_s;
	struct passed_list *list;
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

struct passed_eits *passed_eits_new(enum eit_other other,
				    struct passed_list *list)
{
	struct passed_eits *p;

	if (other == EIT_OTHER_ALL)
		return NULL;
	p = xcalloc(1, sizeof *p);
	p->other = other;
	p->list = list;
	list->n = MIN(list->n, (uint32_t)PASSED_EITS_MAX);
	section_init(&p->assembler, p->buffer, sizeof p->buffer);
	return p;
}

void passed_eits_free(struct passed_eits **p)
{
	free(*p);
	*p = NULL;
}

static bool is_listed(const struct other_guides *others, uint16_t tsid,
		      uint16_t onid)
{
	for (size_t i = 0; i < others->n; i++)
		if (others->list[i].tsid == tsid &&
		    others->list[i].onid == onid)
			return true;
	return false;
}

/* The parts of the source's EIT other that pass, as bits.  Unless eit_other
 * passes all, own present and following EIT replace those of the source. */
static uint8_t passing(const struct passed_eits *p)
{
	return p->other == EIT_OTHER_PASS ? PASSED_PRESENT | PASSED_SCHEDULE
					  : PASSED_SCHEDULE;
}

/* The index of the service with these identifiers; l->n: it is not in the
 * list. */
static uint32_t find(const struct passed_list *l,
		     const struct passed_service *key)
{
	uint32_t i = 0;

	while (i < l->n && (l->services[i].sid != key->sid ||
			    l->services[i].tsid != key->tsid ||
			    l->services[i].onid != key->onid))
		i++;
	return i;
}

static bool take(struct passed_eits *p, const struct other_guides *others,
		 const uint8_t *section, size_t len)
{
	uint8_t id = section_table_id(section), part;
	bool schedule = id >= OTHER_SCHEDULE && id <= EIT_LAST_TABLE_ID, had;
	struct passed_list *l = p->list;
	struct passed_service key, *s;
	uint32_t at;

	if ((!schedule && (id != EIT_OTHER_TABLE_ID ||
			   p->other != EIT_OTHER_PASS)) ||
	    !section_has_syntax(section) || len < EIT_HEAD + SECTION_CRC)
		return false;
	key = (struct passed_service){
		.tsid = (uint16_t)(section[8] << 8 | section[9]),
		.onid = (uint16_t)(section[10] << 8 | section[11]),
		.sid = (uint16_t)(section[3] << 8 | section[4]),
	};
	if (!is_listed(others, key.tsid, key.onid))
		return false;
	at = find(l, &key);
	if (at == PASSED_EITS_MAX)
		return false;
	s = &l->services[at];
	if (at == l->n)
		*s = key;
	part = schedule ? PASSED_SCHEDULE : PASSED_PRESENT;
	had = s->has & part;
	s->has |= part;
	s->seen_s[schedule] = p->now_s;
	/* `n' counts an entry only when it is complete, for the next worker */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	l->n = MAX(l->n, at + 1);
	return !had;
}

/* Removes parts of services that were not received for the time in patience_s.
 * True: a part was removed. */
static bool expire(struct passed_eits *p)
{
	struct passed_list *l = p->list;
	bool changed = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct passed_service s = l->services[i];

		s.has &= passing(p);
		for (unsigned k = 0; k < PASSED_PARTS; k++) {
			if (!(s.has >> k & 1) ||
			    p->now_s - s.seen_s[k] < patience_s[k])
				continue;
			s.has &= (uint8_t)~(1u << k);
			changed = true;
		}
		if (s.has != 0)
			l->services[n++] = s;
	}
	l->n = n;
	return changed;
}

bool passed_eits_feed(struct passed_eits *p, const struct other_guides *others,
		      const struct ts_run *runs, size_t n_runs,
		      uint64_t now_ns)
{
	const uint8_t *section;
	bool changed = false;
	size_t len;

	if ((uint32_t)(now_ns / SECOND_NS) != p->now_s) {
		p->now_s = (uint32_t)(now_ns / SECOND_NS);
		changed = expire(p);
	}
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *packet = runs[i].data + k * TS_PACKET;

			if (ts_pid(packet) != SI_PID_EIT)
				continue;
			section_push(&p->assembler, packet);
			while ((section = section_pull(&p->assembler,
						       &len)) != NULL)
				changed |= take(p, others, section, len);
		}
	return changed;
}

unsigned passed_eits_of(const struct passed_eits *p, uint16_t tsid,
			uint16_t onid, uint16_t sid)
{
	const struct passed_service key = { .tsid = tsid, .onid = onid,
					    .sid = sid };
	uint32_t at = p != NULL ? find(p->list, &key) : 0;

	if (p == NULL || at == p->list->n)
		return 0;
	return p->list->services[at].has & passing(p);
}
