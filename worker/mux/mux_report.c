/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the status of the stream reports about inputs and services. */
#include "proto/si/desc.h"
#include "proto/si/text.h"
#include "worker/mux/mux_state.h"
#include "worker/remux/section_writer.h"
#include "worker/remux/service_desc.h"
#include "worker/ts/pmt.h"
#include "worker/ts/si_table.h"

#include <limits.h>

enum { SDT_HEADER = 11, SDT_SERVICE = 5 };

void mux_source_get(const struct mux *m, size_t input,
		     struct mux_source_state *ret)
{
	const struct mux_source *in = &m->inputs[input];
	size_t n_late = 0;

	*ret = (struct mux_source_state){
		.silent = in->silent,
		.n_absent = in->n_absent,
		.n_blocked = in->n_blocked,
		.blocked = in->blocked,
		.packets = in->packets,
		.dropped = in->dropped,
		.late = in->late,
		.priority = in->priority,
		.min_kbps = in->min_kbps,
		.max_kbps = in->max_kbps,
		.n_services = in->n_services,
		.services = in->services,
		.n_unsent = in->n_found - in->n_services,
		.eit_dropped = eit_share_dropped(m->eit, input),
	};
	for (size_t k = 0; k < mux_units(in); k++) {
		ret->above_max |= in->states[k].above_max;
		n_late += in->states[k].late;
	}
	if (n_late > 0 && n_late == in->n_blocked)
		ret->late_ms = (unsigned)MIN(m->late_ms, (uint64_t)UINT_MAX);
	if (in->remux != NULL)
		ret->n_unsent += remux_unnumbered(in->remux);
}

void mux_service_get(const struct mux *m, size_t input, size_t nth,
		     struct mux_service_state *ret)
{
	const struct mux_service *s = &m->inputs[input].states[nth];

	*ret = (struct mux_service_state){
		.silent = s->silent,
		.absent = s->absent,
		.blocked = s->blocked,
		.filled = s->fill != NULL,
		.file = mux_fill_has_file(s),
		.dropped = s->dropped,
		.excess = s->excess,
	};
}

uint32_t mux_service_packets(const struct mux *m, uint16_t number)
{
	const struct psi_program *p = psi_program_find(m->psi, number);
	uint32_t sum;
	struct pmt pmt;

	if (p == NULL || p->pmt.data == NULL ||
	    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return 0;
	sum = m->sent_before[p->pmt_pid];
	for (size_t i = 0; i < pmt.n_streams; i++)
		sum += m->sent_before[pmt.streams[i].pid];
	return sum;
}

size_t mux_service_pids(const struct mux *m, size_t input, size_t nth,
			uint16_t *ret, size_t max)
{
	size_t n = 0;
	struct pmt pmt;

	if (!mux_service_pmt(&m->inputs[input], nth, &pmt))
		return 0;
	for (size_t i = 0; i < pmt.n_streams && n < max; i++)
		ret[n++] = pmt.streams[i].pid;
	for (size_t i = 0; i < n; i++)
		if (ret[i] == pmt.pcr_pid)
			return n;
	if (n < max && pmt.pcr_pid != TS_PID_NULL)
		ret[n++] = pmt.pcr_pid;
	return n;
}

/* Reads the service name in a service_descriptor (EN 300 468 6.2.33), which
 * follows the type and the provider name. */
static void read_name(struct desc_loop loop, char *ret, size_t size)
{
	struct desc d;
	size_t at;

	if (!desc_find(loop, SERVICE_DESC_TAG, &d) || d.len < 3)
		return;
	at = 2U + d.data[1];
	if (at >= d.len || at + 1U + d.data[at] > d.len)
		return;
	(void)text_decode(d.data + at + 1, d.data[at], ret, size);
}

/* Writes the name of a service from a section of the SDT.  False: the section
 * does not list the service. */
static bool find_name(const struct mux_section *s, uint16_t number, char *ret,
		      size_t size)
{
	const uint8_t *p = s->data + SDT_HEADER;
	const uint8_t *end = s->data + s->len - SECTION_CRC;

	while (end - p >= SDT_SERVICE) {
		struct desc_loop loop = { p + SDT_SERVICE,
					  section_get12(p + 3) };

		if ((size_t)(end - p) - SDT_SERVICE < loop.len)
			return false;
		if ((p[0] << 8 | p[1]) == number) {
			read_name(loop, ret, size);
			return true;
		}
		p = loop.data + loop.len;
	}
	return false;
}

void mux_service_name(const struct mux *m, size_t input, size_t nth, char *ret,
		      size_t size)
{
	const struct mux_source *in = &m->inputs[input];
	uint16_t number = mux_sdt_number(in, nth);

	ret[0] = '\0';
	for (size_t i = 0; i < MUX_SDT_SOURCE_MAX; i++) {
		const struct mux_section *s = &in->sdt_source[i];

		if (s->len > SDT_HEADER + SECTION_CRC &&
		    find_name(s, number, ret, size))
			return;
	}
}
