/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/plp_list.h"

#include "common/base/alloc.h"
#include "proto/spec/t2mi_spec.h"
#include "worker/t2mi/t2mi.h"
#include "worker/ts/pmt.h"

#include <stdlib.h>

enum {
	EXTENSION = 0x7f, /* extension_descriptor (EN 300 468 6.2.18) */
	T2MI_DESCRIPTOR = 0x11, /* descriptor_tag_extension (EN 300 468
				 * 6.4.14) */
};

struct watched {
	uint16_t pid;
	size_t reported; /* number of PLPs that were passed to fn() */
	struct t2mi *t2mi;
};

struct plp_list {
	plp_list_fn *fn;
	void *arg;
	size_t n;
	struct watched list[PLP_LIST_PIDS];
};

/* Drops the packets of a PLP: only the numbers of the PLPs are needed. */
static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static void watch(struct plp_list *l, uint16_t pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i].pid == pid)
			return;
	if (l->n < PLP_LIST_PIDS)
		l->list[l->n++] = (struct watched){
			.pid = pid,
			.t2mi = t2mi_new(pid, T2MI_PLPS, ignore, NULL),
		};
}

struct plp_list *plp_list_new(plp_list_fn *fn, void *arg)
{
	struct plp_list *l = xcalloc(1, sizeof *l);

	l->fn = fn;
	l->arg = arg;
	watch(l, T2MI_PID);
	return l;
}

void plp_list_free(struct plp_list **l)
{
	for (size_t i = 0; *l != NULL && i < (*l)->n; i++)
		t2mi_free(&(*l)->list[i].t2mi);
	free(*l);
	*l = NULL;
}

static bool has_t2mi(struct desc_loop loop)
{
	struct desc d;

	while (desc_next(&loop, &d))
		if (d.tag == EXTENSION && d.len > 0 &&
		    d.data[0] == T2MI_DESCRIPTOR)
			return true;
	return false;
}

void plp_list_take_pmt(struct plp_list *l, const uint8_t *section, size_t len)
{
	struct pmt pmt;

	if (pmt_decode(section, len, &pmt) < 0)
		return;
	for (size_t i = 0; i < pmt.n_streams; i++)
		if (has_t2mi(pmt.streams[i].descriptors))
			watch(l, pmt.streams[i].pid);
}

static void report(struct plp_list *l, struct watched *w)
{
	json_t *plps = json_array();

	for (unsigned i = 0; i < T2MI_PLPS; i++)
		if (t2mi_has_plp(w->t2mi, i))
			(void)json_array_append_new(plps, json_integer(i));
	if (json_array_size(plps) > w->reported &&
	    l->fn(w->pid, plps, l->arg))
		w->reported = json_array_size(plps);
	json_decref(plps);
}

void plp_list_feed(struct plp_list *l, const struct ts_run *runs,
		   size_t n_runs)
{
	for (size_t i = 0; i < l->n; i++) {
		struct watched *w = &l->list[i];

		t2mi_feed(w->t2mi, runs, n_runs);
		if (t2mi_take_counts(w->t2mi).frames > 0)
			report(l, w);
	}
}
