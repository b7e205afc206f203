/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports changes of streams whose events another process has read. */
#include "worker/epg/guide_state.h"

static uint64_t last_edit(const struct guide_stream *s)
{
	uint64_t last = s->edited;

	for (size_t i = 0; i < s->n; i++)
		last = MAX(last, s->services[i]->edited);
	return last;
}

void guide_show(struct guide *g, const char *stream, int64_t now_s)
{
	struct guide_stream *s = guide_add_stream(g, stream);

	/* if another reader called this before, a change since then is not
	 * reported yet */
	if (s->shown)
		return;
	s->shown = true;
	s->shown_edit = last_edit(s);
	s->shown_s = now_s;
}

static bool is_stale(const struct guide_stream *s, int64_t now_s)
{
	/* now_s < shown_s: the clock was set back */
	bool again = now_s < s->shown_s || now_s - s->shown_s >= GUIDE_STALE_S;

	return s->shown && last_edit(s) != s->shown_edit && again;
}

void guide_find_stale(struct guide *g, int64_t now_s, unsigned max,
		      void (*report)(const char *stream, void *arg), void *arg)
{
	struct guide_stream *s;
	/* At least 1.  A new stream has 0, so it was not reported in this
	 * round. */
	uint32_t round = g->shown_round + 1;

	LIST_FOREACH(s, &g->streams, link) {
		if (s->shown_round == round || !is_stale(s, now_s))
			continue;
		if (max == 0)
			return;
		s->shown_round = round;
		s->shown_edit = last_edit(s);
		s->shown_s = now_s;
		report(s->id, arg);
		max--;
	}
	g->shown_round++;
}
