/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/pid_plan.h"

#include "worker/ts/si_table.h"

#include <strings.h>

/* Called for each source PID of a program that is sent, perhaps more than
 * once. */
typedef void each_fn(struct pid_plan *, const struct remux_options *,
		     uint16_t pid);

static bool is_taken(const struct pid_plan *p, uint16_t pid)
{
	return place_has(p->taken, pid);
}

static void take(struct pid_plan *p, uint16_t pid)
{
	place_take(p->taken, pid);
}

static void place(struct pid_plan *p, uint16_t source, uint16_t out)
{
	p->out[source] = out;
	take(p, out);
}

static void place_mapped(struct pid_plan *p, uint16_t source, uint16_t out)
{
	place(p, source, out);
	place_take(p->mapped, source);
}

void pid_plan_init(struct pid_plan *p, const struct remux_place *place)
{
	*p = (struct pid_plan){ .place = place };
	for (size_t i = 0; place != NULL && i < ARRAY_LEN(p->taken); i++)
		p->taken[i] = place->pids[i];
	for (uint16_t pid = 0; pid < SI_PIDS_END; pid++)
		take(p, pid);
	take(p, TS_PID_NULL);
}

void pid_plan_reserve(struct pid_plan *p, uint16_t pid)
{
	take(p, pid);
}

/* --- maps --- */

/* A measure of how many PIDs the left side of a map can match.  Maps with a
 * lower value precede. */
static unsigned breadth(const struct pid_map *m)
{
	bool language = m->language[0] != '\0';

	switch (m->what) {
	case MAP_PID:
	case MAP_PMT:
		return 0;
	case MAP_LANGUAGE:
		return 2;
	case MAP_AC3:
	case MAP_AAC:
		return language ? 1 : 3;
	case MAP_VIDEO:
	case MAP_AUDIO:
	case MAP_SUBTITLE:
	case MAP_TELETEXT:
	case MAP_AIT:
		return language ? 2 : 4;
	case MAP_PCR:
		break;
	}
	return 5;
}

enum { BREADTHS = 6 };

static bool is_kind(const struct pid_map *m, const struct pmt_stream *s)
{
	switch (m->what) {
	case MAP_VIDEO:
		return s->class == PID_VIDEO;
	case MAP_AUDIO:
		return s->class == PID_AUDIO;
	case MAP_AC3:
		return stream_is_ac3(s);
	case MAP_AAC:
		return stream_is_aac(s);
	case MAP_SUBTITLE:
		return s->class == PID_SUBTITLE;
	case MAP_TELETEXT:
		return s->class == PID_TELETEXT;
	case MAP_AIT:
		return s->class == PID_AIT;
	case MAP_LANGUAGE:
		return true;
	default:
		return false;
	}
}

/* The source PID that this map moves in this program; PID_PLAN_NONE: the map
 * matches no PID. */
static uint16_t find_source(const struct pid_plan *p, const struct pid_map *m,
			    const struct selection *sel, uint16_t pmt_pid)
{
	if (m->what == MAP_PID)
		return m->source_pid;
	if (m->what == MAP_PMT)
		return pmt_pid;
	if (m->what == MAP_PCR)
		return sel->pcr_pid;
	for (size_t i = 0; i < sel->n; i++) {
		const struct selected *s = &sel->list[i];

		if (p->out[s->stream->pid] != PID_PLAN_NONE ||
		    !is_kind(m, s->stream))
			continue;
		/* the language of the option lang, otherwise that of the
		 * descriptors */
		if (m->language[0] == '\0' ||
		    (s->language != NULL
			     ? strcasecmp(s->language, m->language) == 0
			     : stream_has_language(s->stream, m->language)))
			return s->stream->pid;
	}
	return PID_PLAN_NONE;
}

/* Is this source PID sent for the program?  If not, a map of the PID has no
 * effect. */
static bool is_used(const struct remux_options *o,
		    const struct selection *sel, uint16_t pid)
{
	struct desc_loop loop = sel->pmt.descriptors;
	uint16_t ca_pid;
	struct desc d;

	if (pid == sel->pcr_pid)
		return true;
	for (size_t i = 0; i < sel->n; i++)
		if (sel->list[i].stream->pid == pid)
			return true;
	if (!o->pass_ca)
		return false;
	for (size_t i = 0; i <= sel->n; i++) {
		while (desc_next(&loop, &d))
			if (desc_ca_pid(&d, &ca_pid) && ca_pid == pid)
				return true;
		if (i < sel->n)
			loop = sel->list[i].stream->descriptors;
	}
	return false;
}

void pid_plan_map(struct pid_plan *p, const struct remux_options *o,
		  const struct selection *sel, uint16_t pmt_pid)
{
	for (unsigned b = 0; b < BREADTHS; b++) {
		for (size_t i = 0; i < o->n_maps; i++) {
			const struct pid_map *m = &o->maps[i];
			uint16_t pid;

			if (breadth(m) != b || is_taken(p, m->pid))
				continue;
			pid = find_source(p, m, sel, pmt_pid);
			if (pid == PID_PLAN_NONE || pid == TS_PID_NULL ||
			    p->out[pid] != PID_PLAN_NONE)
				continue;
			if (pid == pmt_pid || is_used(o, sel, pid))
				place_mapped(p, pid, m->pid);
		}
	}
}

/* --- PIDs without a map --- */

static void each_ca(struct pid_plan *p, const struct remux_options *o,
		    struct desc_loop loop, each_fn *fn)
{
	struct desc d;
	uint16_t pid;

	while (desc_next(&loop, &d))
		if (desc_ca_pid(&d, &pid) && ca_is_kept(o, pid))
			fn(p, o, pid);
}

static void each(struct pid_plan *p, const struct remux_options *o,
		 const struct selection *sel, uint16_t pmt_pid, each_fn *fn)
{
	fn(p, o, pmt_pid);
	if (sel->pcr_pid != TS_PID_NULL)
		fn(p, o, sel->pcr_pid);
	for (size_t i = 0; i < sel->n; i++)
		fn(p, o, sel->list[i].stream->pid);
	if (!o->pass_ca)
		return;
	each_ca(p, o, sel->pmt.descriptors, fn);
	for (size_t i = 0; i < sel->n; i++)
		each_ca(p, o, sel->list[i].stream->descriptors, fn);
}

static void keep_one(struct pid_plan *p, const struct remux_options *o,
		     uint16_t pid)
{
	(void)o;
	if (p->place != NULL && !p->place->keep)
		return;
	if (p->out[pid] == PID_PLAN_NONE && !is_taken(p, pid))
		place(p, pid, pid);
}

void pid_plan_keep(struct pid_plan *p, const struct remux_options *o,
		   const struct selection *sel, uint16_t pmt_pid)
{
	each(p, o, sel, pmt_pid, keep_one);
}

/* True if an output PID is free.  The PIDs of all maps count as taken, so that
 * a later PMT, to which a map applies, moves no other stream. */
static bool is_free(const struct pid_plan *p, const struct remux_options *o,
		    uint16_t pid)
{
	for (size_t i = 0; i < o->n_maps; i++)
		if (o->maps[i].pid == pid)
			return false;
	return !is_taken(p, pid);
}

/* A free output PID; PID_PLAN_NONE: there is none.  source: the PID that gets
 * it, or that the added stream wants; 0: the AIT gets it. */
static uint16_t find_free(const struct pid_plan *p,
			  const struct remux_options *o, uint16_t source)
{
	uint16_t count = p->place != NULL ? p->place->count : 0;

	for (uint16_t i = 0; i < count; i++)
		if (is_free(p, o, place_at(p->place, source, i)))
			return place_at(p->place, source, i);
	for (uint16_t pid = SI_PIDS_END; p->place == NULL && pid < TS_PID_NULL;
	     pid++)
		if (is_free(p, o, pid))
			return pid;
	return PID_PLAN_NONE;
}

static void move_one(struct pid_plan *p, const struct remux_options *o,
		     uint16_t pid)
{
	uint16_t out;

	if (p->out[pid] != PID_PLAN_NONE)
		return;
	out = find_free(p, o, pid);
	if (out != PID_PLAN_NONE)
		place(p, pid, out);
	else
		place_take(p->homeless, pid);
}

void pid_plan_move(struct pid_plan *p, const struct remux_options *o,
		   const struct selection *sel, uint16_t pmt_pid)
{
	each(p, o, sel, pmt_pid, move_one);
}

void pid_plan_add(struct pid_plan *p, const struct remux_options *o,
		  uint16_t pid)
{
	for (size_t i = 0; i < o->n_maps; i++) {
		const struct pid_map *m = &o->maps[i];

		if (m->what == MAP_PID && m->source_pid == pid &&
		    p->out[pid] == PID_PLAN_NONE && !is_taken(p, m->pid))
			place_mapped(p, pid, m->pid);
	}
	keep_one(p, o, pid);
	move_one(p, o, pid);
}

void pid_plan_add_ait(struct pid_plan *p, const struct remux_options *o)
{
	p->ait = PID_PLAN_NONE;
	for (size_t i = 0; i < o->n_maps && p->ait == PID_PLAN_NONE; i++)
		if (o->maps[i].what == MAP_AIT &&
		    !is_taken(p, o->maps[i].pid))
			p->ait = o->maps[i].pid;
	if (p->ait == PID_PLAN_NONE)
		p->ait = find_free(p, o, 0);
	if (p->ait != PID_PLAN_NONE)
		take(p, p->ait);
}

void pid_plan_add_guest(struct pid_plan *p, const struct remux_options *o,
			uint16_t wanted)
{
	p->guest = is_taken(p, wanted) || p->place != NULL
			   ? find_free(p, o, wanted)
			   : wanted;
	if (p->guest != PID_PLAN_NONE)
		take(p, p->guest);
}
