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
	PARTS = 2, /* present and following, schedule */
};

static const unsigned patience_s[PARTS] = { 60, 900 };

struct passed {
	uint16_t tsid, onid, sid;
	bool has[PARTS];
	uint64_t seen_s[PARTS]; /* its last section */
};

struct passed_eits {
	enum eit_other other;
	uint64_t now_s;
	size_t n;
	struct passed list[PASSED_EITS_MAX];
	struct section_assembler assembler;
	uint8_t buffer[SECTION_MAX];
};

struct passed_eits *passed_eits_new(enum eit_other other)
{
	struct passed_eits *p;

	if (other == EIT_OTHER_ALL)
		return NULL;
	p = xcalloc(1, sizeof *p);
	p->other = other;
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

/* Its place; n: there is none. */
static size_t find(const struct passed_eits *p, const struct passed *key)
{
	size_t i = 0;

	while (i < p->n && (p->list[i].sid != key->sid ||
			    p->list[i].tsid != key->tsid ||
			    p->list[i].onid != key->onid))
		i++;
	return i;
}

static bool take(struct passed_eits *p, const struct other_guides *others,
		 const uint8_t *section, size_t len)
{
	uint8_t id = section_table_id(section);
	bool schedule = id >= OTHER_SCHEDULE && id <= EIT_LAST_TABLE_ID, had;
	struct passed key, *s;
	size_t at;

	if ((!schedule && (id != EIT_OTHER_TABLE_ID ||
			   p->other != EIT_OTHER_PASS)) ||
	    !section_has_syntax(section) || len < EIT_HEAD + SECTION_CRC)
		return false;
	key = (struct passed){
		.tsid = (uint16_t)(section[8] << 8 | section[9]),
		.onid = (uint16_t)(section[10] << 8 | section[11]),
		.sid = (uint16_t)(section[3] << 8 | section[4]),
	};
	if (!is_listed(others, key.tsid, key.onid))
		return false;
	at = find(p, &key);
	if (at == PASSED_EITS_MAX)
		return false;
	s = &p->list[at];
	if (at == p->n) {
		p->n++;
		*s = key;
	}
	had = s->has[schedule];
	s->has[schedule] = true;
	s->seen_s[schedule] = p->now_s;
	return !had;
}

/* Forgets what has not been received for long. */
static bool expire(struct passed_eits *p)
{
	bool changed = false;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct passed s = p->list[i];

		for (size_t k = 0; k < PARTS; k++) {
			if (!s.has[k] ||
			    p->now_s - s.seen_s[k] < patience_s[k])
				continue;
			s.has[k] = false;
			changed = true;
		}
		if (s.has[0] || s.has[1])
			p->list[n++] = s;
	}
	p->n = n;
	return changed;
}

bool passed_eits_feed(struct passed_eits *p, const struct other_guides *others,
		      const struct ts_run *runs, size_t n_runs,
		      uint64_t now_ns)
{
	const uint8_t *section;
	bool changed = false;
	size_t len;

	if (now_ns / SECOND_NS != p->now_s) {
		p->now_s = now_ns / SECOND_NS;
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
	const struct passed key = { .tsid = tsid, .onid = onid, .sid = sid };
	size_t at = p != NULL ? find(p, &key) : 0;

	if (p == NULL || at == p->n)
		return 0;
	return (p->list[at].has[0] ? PASSED_PRESENT : 0U) |
	       (p->list[at].has[1] ? PASSED_SCHEDULE : 0U);
}
