/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_sections.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/remux/place.h"
#include "worker/remux/psi_build.h"
#include "worker/tables/table_stage.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

struct own_section {
	struct schedule_key key;
	unsigned interval_ms;
	bool refused; /* the log has that a program uses its PID */
	bool emm;     /* the CAT lists its PID */
	size_t len;
	uint8_t *data;
};

struct own_sections {
	struct table_stage *stage;
	bool foreign; /* a section has a PID that a program may use */
	uint8_t cat_version;
	struct section_assembler cat;
	uint8_t buffer[SECTION_PSI_MAX];
	size_t n;
	struct own_section list[SI_SECTIONS_MAX];
};

struct own_sections *own_sections_new(const struct tables_spec *spec,
				      struct table_stage *stage)
{
	uint8_t section[SI_SECTION_BYTES];
	struct own_section *to;
	struct own_sections *o;
	struct errmsg error;
	size_t len;

	if (spec->n_si == 0)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->stage = stage;
	section_init(&o->cat, o->buffer, sizeof o->buffer);
	for (size_t i = 0; i < spec->n_si; i++) {
		/* an entry with a wrong PID counts as absent */
		if (spec->si[i].pid < SI_PID_MIN)
			continue;
		o->foreign |= spec->si[i].pid >= SI_PIDS_END;
		if (si_section_read(&spec->si[i], section, &len, &error) < 0) {
			log_error("stream", "si[%zu].%s", i, error.text);
			continue;
		}
		to = &o->list[o->n++];
		to->key.pid = spec->si[i].pid;
		to->key.table_id = section_table_id(section);
		if (section_has_syntax(section))
			to->key.extension =
				(uint16_t)(section[3] << 8 | section[4]);
		to->interval_ms = spec->si[i].interval_ms;
		to->len = len;
		to->data = xcalloc(1, len);
		memcpy(to->data, section, len);
	}
	return o;
}

void own_sections_free(struct own_sections **o)
{
	for (size_t i = 0; *o != NULL && i < (*o)->n; i++)
		free((*o)->list[i].data);
	free(*o);
	*o = NULL;
}

static bool is_same_table(const struct own_section *a,
			  const struct own_section *b)
{
	return a->key.pid == b->key.pid &&
	       a->key.table_id == b->key.table_id &&
	       a->key.extension == b->key.extension;
}

/* Schedules the table whose first section this is. */
static void send_table(struct own_sections *o, size_t first)
{
	struct schedule_section list[SI_SECTIONS_MAX];
	const struct own_section *s = &o->list[first];
	unsigned interval_ms = s->interval_ms;
	size_t n = 0;

	for (size_t i = first; i < o->n; i++) {
		if (!is_same_table(&o->list[i], s))
			continue;
		list[n].data = o->list[i].data;
		list[n++].len = o->list[i].len;
		interval_ms = MIN(interval_ms, o->list[i].interval_ms);
	}
	table_stage_own_pid(o->stage, s->key.pid);
	/* on another PID it does not replace the table of the source */
	if (s->key.pid < SI_PIDS_END)
		table_stage_drop(o->stage, s->key.table_id, true);
	(void)schedule_set(table_stage_schedule(o->stage), &s->key,
			   interval_ms, list, n);
}

void own_sections_use(struct own_sections *o, const struct psi *psi)
{
	uint64_t used[TS_PIDS / 64];

	if (!psi_has_pat(psi))
		return;
	psi_used_pids(psi, used);
	for (size_t i = 0; i < o->n; i++) {
		struct own_section *s = &o->list[i];
		size_t k = 0;

		/* each table once, with its first section */
		while (k < i && !is_same_table(&o->list[k], s))
			k++;
		if (k < i)
			continue;
		if (s->key.pid >= SI_PIDS_END &&
		    (s->emm || place_has(used, s->key.pid))) {
			(void)schedule_set(table_stage_schedule(o->stage),
					   &s->key, 0, NULL, 0);
			table_stage_drop_pid(o->stage, s->key.pid, false);
			if (!s->refused)
				log_error("stream", "si: PID %u is not sent: a "
					  "program uses it: choose another PID",
					  s->key.pid);
			s->refused = true;
			continue;
		}
		s->refused = false;
		send_table(o, i);
	}
}

bool own_sections_have(const struct own_sections *o, uint8_t table_id)
{
	for (size_t i = 0; o != NULL && i < o->n; i++)
		if (o->list[i].key.table_id == table_id &&
		    o->list[i].key.pid < SI_PIDS_END)
			return true;
	return false;
}

/* Notes which own sections are on PIDs of EMMs; true: that may have changed. */
static bool take_cat(struct own_sections *o, const uint8_t *section,
		     size_t len)
{
	bool changed = false, renewed;
	struct desc_loop loop;
	struct desc d;
	uint16_t pid;

	if (!cat_loop(section, len, &loop) || !(section[5] & 1))
		return false;
	/* all sections of a CAT have the same version: a new version lists the
	 * PIDs of EMMs anew */
	renewed = o->cat_version != section[5];
	o->cat_version = section[5];
	for (size_t i = 0; renewed && i < o->n; i++) {
		changed |= o->list[i].emm;
		o->list[i].emm = false;
	}
	while (desc_next(&loop, &d))
		for (size_t i = 0; desc_ca_pid(&d, &pid) && i < o->n; i++) {
			struct own_section *s = &o->list[i];

			changed |= s->key.pid == pid && !s->emm;
			s->emm |= s->key.pid == pid;
		}
	return changed;
}

void own_sections_feed(struct own_sections *o, const struct psi *psi,
		       const struct ts_run *runs, size_t n_runs)
{
	const uint8_t *section;
	bool changed = false;
	size_t len;

	for (size_t i = 0; o->foreign && i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) != SI_PID_CAT)
				continue;
			section_push(&o->cat, p);
			while ((section = section_pull(&o->cat, &len)) != NULL)
				changed |= take_cat(o, section, len);
		}
	if (changed)
		own_sections_use(o, psi);
}
