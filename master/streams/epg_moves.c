/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_moves.h"

#include "common/base/alloc.h"

#include <stdlib.h>

void epg_moves_init(struct epg_moves *m)
{
	*m = (struct epg_moves){ 0 };
	STAILQ_INIT(&m->list);
}

void epg_moves_done(struct epg_moves *m)
{
	while (m->n > 0)
		epg_moves_drop(m);
}

bool epg_moves_add(struct epg_moves *m, const char *from, const char *to)
{
	struct epg_move *move = xcalloc(1, sizeof *move);
	bool full = m->n == EPG_MOVES_MAX;

	if (full)
		epg_moves_drop(m);
	move->from = from != NULL ? xstrdup(from) : NULL;
	move->to = xstrdup(to);
	STAILQ_INSERT_TAIL(&m->list, move, link);
	m->n++;
	return full;
}

void epg_moves_drop(struct epg_moves *m)
{
	struct epg_move *first = STAILQ_FIRST(&m->list);

	STAILQ_REMOVE_HEAD(&m->list, link);
	m->n--;
	if (m->sent == first)
		m->sent = NULL;
	free(first->from);
	free(first->to);
	free(first);
}

const struct epg_move *epg_moves_next(const struct epg_moves *m)
{
	return m->sent != NULL ? STAILQ_NEXT(m->sent, link)
			       : STAILQ_FIRST(&m->list);
}
