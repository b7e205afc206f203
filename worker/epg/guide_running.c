/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_state.h"

/* running_status (EN 300 468 table 6) */
enum { NOT_RUNNING = 1, RUNNING = 4 };

bool guide_stop_others(struct guide *g, struct service *s, struct eit eit)
{
	struct eit_event present;
	bool any, changed = false;

	if (eit.schedule || eit.number != 0)
		return false;
	any = eit_next(&eit.events, &present);
	if (eit.events.cut)
		return false;
	g->work += s->n * WORK_LOOK;
	for (size_t i = 0; i < s->n; i++) {
		struct guide_event *e = s->events[i];

		if (e->running != RUNNING || (any && e->id == present.id))
			continue;
		e->running = NOT_RUNNING;
		changed = true;
	}
	if (changed)
		s->edited = ++g->edits;
	return changed;
}
