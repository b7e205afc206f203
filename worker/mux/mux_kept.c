/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/mux_kept.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/mux/mux_state.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

/* --- what is kept --- */

void mux_keep_tables(const struct mux *m, size_t input, remux_section_fn *fn,
		     void *arg)
{
	const struct mux_source *in = &m->inputs[input];

	if (in->remux != NULL && in->n_found > 0)
		remux_keep_tables(in->remux, fn, arg);
}

size_t mux_keep_services(const struct mux *m, size_t input,
			 struct mux_kept_service *ret, size_t max)
{
	const struct mux_source *in = &m->inputs[input];
	size_t n = 0;

	for (; n < in->n_found && n < max; n++) {
		const struct mux_service *s = &in->states[n];

		ret[n] = (struct mux_kept_service){
			.number = in->services[n].new_number,
			.silent = s->silent,
			.absent = s->absent,
			.unlisted = s->unlisted,
			.heard_ns = s->silent ? s->heard_ns : 0,
		};
	}
	return n;
}

uint64_t mux_silent_ns(const struct mux *m, size_t input)
{
	const struct mux_source *in = &m->inputs[input];

	return in->silent ? in->heard_ns : 0;
}

/* --- the next mux --- */

void mux_restore_section(struct mux *m, size_t input, uint16_t pid,
			 const uint8_t *section, size_t len,
			 uint8_t cc[TS_PIDS])
{
	struct mux_source *in = &m->inputs[input];
	uint8_t packets[SECTION_PSI_PACKETS * TS_PACKET];
	struct ts_run run = { packets, section_packets(len) };

	if (in->remux == NULL || len > SECTION_PSI_MAX)
		return;
	pid &= TS_PIDS - 1;
	(void)section_pack(section, len, pid, &cc[pid], packets);
	remux_feed(in->remux, &run, 1, m->now_ns);
}

void mux_restore(struct mux *m, size_t input, uint64_t silent_ns,
		 const struct mux_kept_service *list, size_t n,
		 uint64_t now_ns)
{
	struct mux_source *in = &m->inputs[input];

	m->now_ns = now_ns;
	/* silent_ns 0: the input had packets; if none arrive now, it becomes
	 * silent MUX_SILENT_MS from now */
	in->heard_ns = silent_ns != 0 ? MIN(silent_ns, now_ns) : now_ns;
	in->kept = xcalloc(n + 1, sizeof *in->kept);
	memcpy(in->kept, list, n * sizeof *list);
	in->n_kept = n;
}

struct made {
	struct mux *mux;
	struct mux_source *in;
};

static void take_made(uint16_t pid, const uint8_t *section, size_t len,
		      void *arg)
{
	struct made *made = arg;
	uint8_t copy[SECTION_PSI_MAX];

	memcpy(copy, section, len);
	mux_take_section(made->mux, made->in, pid, copy, len);
}

void mux_take_made(struct mux *m, struct mux_source *in)
{
	remux_made_tables(in->remux, take_made, &(struct made){ m, in });
}

void mux_end_restore(struct mux *m)
{
	mux_follow_tables(m);
}

void mux_resume_service(const struct mux *m, struct mux_source *in, size_t nth)
{
	struct mux_service *s = &in->states[nth];

	s->heard_ns = s->listed_ns = m->now_ns;
	for (size_t i = 0; i < in->n_kept; i++) {
		struct mux_kept_service *k = &in->kept[i];

		if (k->number != in->services[nth].new_number)
			continue;
		s->absent = k->absent && in->absent_ms > 0;
		if (k->unlisted)
			s->listed_ns = 0;
		if (k->silent)
			s->heard_ns = MIN(k->heard_ns, m->now_ns);
		*k = in->kept[--in->n_kept];
		break;
	}
	if (in->n_kept > 0)
		return;
	free(in->kept);
	in->kept = NULL;
}
