/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/wanted_pids.h"

#include "proto/spec/t2mi_spec.h"
#include "proto/spec/tuner_spec.h"
#include "worker/adapter/program_pids.h"

enum { CAT_TABLE_ID = 0x01, CAT_MIN = 12, CURRENT_NEXT = 5 };

void wanted_pids_init(struct wanted_pids *w)
{
	*w = (struct wanted_pids){ .psi = psi_new() };
	section_init(&w->cat, w->buffer, sizeof w->buffer);
}

void wanted_pids_carrier(struct wanted_pids *w, const json_t *adapter)
{
	struct t2mi_spec spec;

	w->inner = t2mi_spec_parse(adapter, &spec, NULL) == 0 && spec.t2mi
			   ? (uint16_t)spec.pid : 0;
	w->atsc = tuner_spec_is_atsc(adapter);
}

void wanted_pids_done(struct wanted_pids *w)
{
	psi_free(&w->psi);
}

void wanted_pids_reset(struct wanted_pids *w)
{
	psi_reset(w->psi);
	section_reset(&w->cat);
	w->emms.n = 0;
	w->stale = true;
}

void wanted_pids_feed(struct wanted_pids *w, const uint8_t *packet)
{
	const uint8_t *section;
	struct ca_refs refs;
	size_t len;

	if (ts_pid(packet) != CAT_PID) {
		(void)psi_feed(w->psi, packet);
		return;
	}
	section_push(&w->cat, packet);
	/* The CAT may have several sections.  EMM PIDs of earlier versions stay
	 * in the list until wanted_pids_reset(): a superfluous PID does no
	 * harm. */
	while ((section = section_pull(&w->cat, &len))) {
		if (len < CAT_MIN ||
		    section_table_id(section) != CAT_TABLE_ID ||
		    !section_has_syntax(section) ||
		    !(section[CURRENT_NEXT] & 1))
			continue;
		ca_refs_read_cat(section, len, &refs);
		for (size_t i = 0; i < refs.n; i++)
			w->stale |= ca_refs_add(&w->emms, &refs.list[i]);
	}
}

bool wanted_pids_changed(const struct wanted_pids *w)
{
	return w->stale || psi_changes(w->psi) != w->psi_changes;
}

size_t wanted_pids_list(struct wanted_pids *w, uint16_t *ret, size_t max)
{
	const uint16_t always[] = { 0, w->inner };
	const struct psi_program *programs;
	size_t n_programs = psi_programs(w->psi, &programs), n = 0;

	w->psi_changes = psi_changes(w->psi);
	w->stale = false;
	if (w->inner == 0)
		return program_pids(w->psi, &w->emms, &w->programs, w->atsc,
				    ret, max);
	/* a CAM needs the PIDs of the PAT, of the T2-MI and of the PMTs */
	for (size_t i = 0; i < ARRAY_LEN(always) && i < max; i++)
		ret[n++] = always[i];
	for (size_t i = 0; i < n_programs && n < max; i++)
		if (programs[i].number != 0)
			ret[n++] = programs[i].pmt_pid;
	return n;
}
