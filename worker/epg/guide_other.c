/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EIT other: the events of a service in another transport stream. */
#include "worker/epg/guide_state.h"

enum {
	OTHER = 0x10, /* table_id of schedule other minus table_id of schedule
		       * actual */
	/* For this time after its last section, the source of a service is not
	 * replaced by another stream.  EIT other repeat present/following in 20
	 * s, the schedule in 300 s (TS 101 211 4.4). */
	PRESENT_PATIENCE_S = 60,
	SCHEDULE_PATIENCE_S = 900,
};

static struct guide_network *chain_of(struct guide *g, uint16_t tsid,
				      uint16_t onid)
{
	return &g->by_network[(tsid ^ (unsigned)onid << 3) % ID_CHAINS];
}

void guide_forget_network(struct guide_stream *s)
{
	if (s->has_network)
		LIST_REMOVE(s, in_network);
	s->has_network = false;
}

bool guide_set_network(struct guide *g, struct guide_stream *s, uint16_t tsid,
		       uint16_t onid)
{
	if (s->has_network && s->tsid == tsid && s->onid == onid)
		return false;
	guide_forget_network(s);
	if (s->onid != onid)
		s->edited = ++g->edits;
	s->tsid = tsid;
	s->onid = onid;
	s->has_network = true;
	LIST_INSERT_HEAD(chain_of(g, tsid, onid), s, in_network);
	return true;
}

bool guide_is_source(struct service *service, const struct guide_stream *s,
		     const struct guide_stream *from, const struct eit *eit,
		     int64_t now_s)
{
	struct guide_source *last = &service->sources[eit->schedule];
	int64_t patience_s = eit->schedule ? SCHEDULE_PATIENCE_S
					   : PRESENT_PATIENCE_S;
	/* now_s < at_s: the clock was set back */
	bool silent = last->serial == 0 || now_s < last->at_s ||
		      now_s - last->at_s >= patience_s;

	if (from != s && from->serial != last->serial && !silent)
		return false;
	*last = (struct guide_source){ from->serial, now_s };
	return true;
}

/* Is this EIT other of the stream generated from this guide? */
static bool is_own(const struct guide_stream *from, const struct eit *eit)
{
	return from->own_other == EIT_OTHER_ALL ||
	       (from->own_other == EIT_OTHER_PRESENT && !eit->schedule);
}

bool guide_take_other(struct guide *g, const struct guide_stream *from,
		      struct eit eit, uint32_t crc, int64_t now_s)
{
	struct guide_stream *s;
	bool changed = false;

	if (is_own(from, &eit))
		return false;
	if (eit.schedule)
		eit.table_id = (uint8_t)(eit.table_id - OTHER);
	LIST_FOREACH(s, chain_of(g, eit.tsid, eit.onid), in_network) {
		g->work += WORK_LOOK;
		if (s != from && s->tsid == eit.tsid && s->onid == eit.onid)
			changed |= guide_take_from(g, s, from, eit, crc,
						   now_s);
	}
	return changed;
}

void guide_set_own_other(struct guide *g, const char *stream,
			 enum eit_other other)
{
	guide_add_stream(g, stream)->own_other = other;
}
