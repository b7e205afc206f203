/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/join_point.h"

#include "common/base/alloc.h"
#include "worker/ts/section.h"

#include <stdlib.h>

enum { PACKETS_MAX = (SECTION_PSI_MAX + 184) / 184 + 1 };

struct join_search {
	struct psi *psi;
	struct cc_rewrite cc; /* counters of the next packets */
	uint64_t since_ns;    /* start of the search; 0: not started */
};

static void put_section(const struct psi_section *s, uint16_t pid,
			struct cc_rewrite *cc, join_point_put_fn *put,
			void *arg)
{
	uint8_t packets[PACKETS_MAX * TS_PACKET];

	if (s->data == NULL || s->len > SECTION_PSI_MAX)
		return;
	put(packets, section_pack(s->data, s->len, pid,
				  cc_rewrite_next(cc, pid), packets), arg);
}

void join_point_tables(const struct psi *psi, struct cc_rewrite *cc,
		       join_point_put_fn *put, void *arg)
{
	const struct psi_section *pat;
	const struct psi_program *programs;
	size_t n_pat = psi_pat(psi, &pat);
	size_t n_programs = psi_programs(psi, &programs);

	for (size_t i = 0; i < n_pat; i++)
		put_section(&pat[i], TS_PID_PAT, cc, put, arg);
	for (size_t i = 0; i < n_programs; i++)
		put_section(&programs[i].pmt, programs[i].pmt_pid, cc, put,
			    arg);
}

struct join_search *join_search_new(void)
{
	struct join_search *j = xcalloc(1, sizeof *j);

	j->psi = psi_new();
	return j;
}

void join_search_free(struct join_search **ptr)
{
	if (*ptr != NULL)
		psi_free(&(*ptr)->psi);
	free(*ptr);
	*ptr = NULL;
}

static void read_table(struct join_search *j, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	if (psi_class(j->psi, pid) != PID_PSI)
		return;
	if (ts_has_payload(packet))
		*cc_rewrite_next(&j->cc, pid) =
			(uint8_t)((ts_cc(packet) + 1) & 0x0f);
	(void)psi_feed(j->psi, packet);
}

void join_search_skip(struct join_search *j, const struct ts_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		read_table(j, run->data + i * TS_PACKET);
}

size_t join_search_find(struct join_search *j, const struct ts_run *run,
			uint64_t now_ns)
{
	if (j->since_ns == 0)
		j->since_ns = now_ns;
	for (size_t i = 0; i < run->n; i++) {
		const uint8_t *packet = run->data + i * TS_PACKET;

		if (join_point_is(j->psi, packet, psi_main_pid(j->psi),
				  now_ns - j->since_ns))
			return i;
		read_table(j, packet);
	}
	return run->n;
}

static void ignore(const uint8_t *packets, size_t n, void *arg)
{
	(void)packets, (void)n, (void)arg;
}

void join_search_tables(struct join_search *j, join_point_put_fn *put,
			void *arg)
{
	struct cc_rewrite end = j->cc;

	/* A first pass counts the packets of the tables.  The counters then go
	 * back by this number, so that the tables end where the stream
	 * continues. */
	join_point_tables(j->psi, &j->cc, ignore, NULL);
	for (size_t pid = 0; pid < TS_PIDS; pid++)
		j->cc.out[pid] = (uint8_t)((2U * end.out[pid] + 16 -
					    j->cc.out[pid]) & 0x0f);
	join_point_tables(j->psi, &j->cc, put, arg);
}
