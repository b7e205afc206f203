/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which components share their ECMs, and which PIDs with ECMs and EMMs
 * are read. */
#include "common/base/alloc.h"
#include "worker/ca/ca_stage_state.h"

#include <stdlib.h>
#include <string.h>

/* --- groups --- */

/* The index of the group of components with these references in this program;
 * makes a group if there is none.  -1: all groups are in use. */
static int group_for(struct ca_stage *s, uint16_t pnr,
		     const struct ca_refs *refs)
{
	int free_place = -1;

	for (int i = 0; i < CA_GROUPS_MAX; i++) {
		struct ca_group *g = &s->groups[i];

		if (g->used && g->pnr == pnr && ca_refs_equal(&g->refs, refs)) {
			g->kept = true;
			return i;
		}
		if (!g->used && free_place < 0)
			free_place = i;
	}
	if (free_place >= 0)
		s->groups[free_place] = (struct ca_group){
			.used = true, .kept = true, .pnr = pnr, .refs = *refs,
		};
	return free_place;
}

static void plan_program(struct ca_stage *s, const struct psi_program *p)
{
	struct ca_refs of_program, own;
	struct pmt pmt;

	if (p->pmt.data == NULL ||
	    (s->cfg.pnr != 0 && p->number != s->cfg.pnr) ||
	    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return;
	ca_refs_read(pmt.descriptors, &of_program);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		uint16_t pid = pmt.streams[i].pid;
		const struct ca_refs *refs;
		int group;

		ca_refs_read(pmt.streams[i].descriptors, &own);
		refs = own.n > 0 ? &own : &of_program;
		/* a configured ECM PID needs no CA descriptor */
		if (refs->n == 0 && s->cfg.ecm_pid == 0)
			continue;
		group = group_for(s, p->number, refs);
		if (group < 0)
			continue;
		descrambler_assign(s->cfg.descrambler, pid, (uint8_t)group);
		/* only video and audio: scrambled sections have no start code
		 * prefix */
		descrambler_judge(s->cfg.descrambler, pid,
				  s->classes[pid] == PID_VIDEO ||
					  s->classes[pid] == PID_AUDIO);
	}
}

static void plan_groups(struct ca_stage *s)
{
	const struct psi_program *programs;
	size_t n = psi_programs(s->psi, &programs);

	for (size_t i = 0; i < CA_GROUPS_MAX; i++)
		s->groups[i].kept = false;
	descrambler_assign_all(s->cfg.descrambler, DESCRAMBLER_NO_GROUP);
	for (size_t i = 0; i < n; i++)
		plan_program(s, &programs[i]);
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		if (!s->groups[i].used || s->groups[i].kept)
			continue;
		s->groups[i].used = false;
		descrambler_forget(s->cfg.descrambler, (uint8_t)i);
	}
}

/* --- PIDs --- */

static void watch_pid(struct ca_stage *s, uint16_t pid,
		      enum ca_watch_kind kind, uint16_t caid)
{
	struct ca_watch *w;
	size_t place = s->watch_of[pid];

	if (place > 0) {
		s->watches[place - 1]->kept = true;
		return;
	}
	while (place < CA_WATCHES_MAX && s->watches[place] != NULL &&
	       s->watches[place]->used)
		place++;
	if (place == CA_WATCHES_MAX)
		return;
	if (s->watches[place] == NULL)
		s->watches[place] = xcalloc(1, sizeof *w);
	w = s->watches[place];
	memset(w, 0, sizeof *w);
	w->used = w->kept = true;
	w->kind = kind;
	w->pid = pid;
	w->caid = caid;
	section_init(&w->assembler, w->buffer, sizeof w->buffer);
	s->watch_of[pid] = (uint8_t)(place + 1);
}

static void plan_ecms(struct ca_stage *s, struct ca_group *g)
{
	for (size_t i = 0; i < s->n_cams; i++) {
		const struct ca_softcam *cam = &s->cams[i];
		const struct ca_ref *found = ca_card_choose(&cam->card,
							    &g->refs);
		struct ca_request *r = &g->requests[i];
		struct ca_ref ref = { 0 }; /* pid 0: the softcam gets no ECM */

		if (found != NULL)
			ref = *found;
		if (s->cfg.ecm_pid != 0) {
			ref.caid = cam->card.caid;
			ref.pid = s->cfg.ecm_pid;
		}
		/* a softcam that is disconnected for a while keeps its ECM */
		if (ref.caid == 0 && !cam->up)
			ref = r->ref;
		if (ref.pid != r->ref.pid || ref.caid != r->ref.caid ||
		    ref.provider != r->ref.provider)
			*r = (struct ca_request){ .state = CA_NONE };
		r->ref = ref;
		if (ref.pid != 0)
			watch_pid(s, ref.pid, CA_WATCH_ECM, ref.caid);
	}
}

static void plan_emms(struct ca_stage *s)
{
	bool wanted = false;

	for (size_t i = 0; i < s->n_cams; i++)
		wanted |= s->cams[i].up && s->cams[i].emm;
	if (!wanted)
		return;
	watch_pid(s, CA_PID_CAT, CA_WATCH_CAT, 0);
	for (size_t i = 0; i < s->n_cams; i++) {
		const struct ca_softcam *c = &s->cams[i];

		if (!c->up || !c->emm)
			continue;
		for (size_t k = 0; k < s->emms.n; k++)
			if (s->emms.list[k].caid == c->card.caid)
				watch_pid(s, s->emms.list[k].pid, CA_WATCH_EMM,
					  c->card.caid);
	}
}

void ca_plan(struct ca_stage *s)
{
	plan_groups(s);
	for (size_t i = 0; i < CA_WATCHES_MAX; i++)
		if (s->watches[i] != NULL)
			s->watches[i]->kept = false;
	for (size_t i = 0; i < CA_GROUPS_MAX; i++)
		if (s->groups[i].used)
			plan_ecms(s, &s->groups[i]);
	plan_emms(s);
	for (size_t i = 0; i < CA_WATCHES_MAX; i++) {
		struct ca_watch *w = s->watches[i];

		if (w == NULL || !w->used || w->kept)
			continue;
		w->used = false;
		s->watch_of[w->pid] = 0;
	}
}
