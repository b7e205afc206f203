/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ca/ca_stage.h"

#include "common/base/alloc.h"
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/ca/ca_stage_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ECM_EVEN = 0x80,
	ECM_ODD = 0x81,
	CAT_TABLE_ID = 0x01,
	/* starts of PES packets in a second that are enough to judge a
	 * control word */
	STARTS_MIN = 4,
	WRONG_SECONDS = 2,
	PES_FLAGS = 6, /* offset of PES_scrambling_control in a PES header */
	/* after so long without an answer, the words in use belong to an
	 * earlier ECM */
	LATE_MS = 1000,
};

/* --- sections --- */

/* Stores a section of a watched PID; true: it differs from the last one. */
static bool remember(struct ca_stage *s, struct ca_watch *w,
		     const uint8_t *section, size_t len)
{
	w->count++;
	if (len == w->len && memcmp(section, w->section, len) == 0)
		return false;
	memcpy(w->section, section, len);
	w->len = len;
	w->version = ++s->version;
	return true;
}

static void take_emm(struct ca_stage *s, const struct ca_watch *w,
		     const uint8_t *section, size_t len)
{
	char digits[2 * SECTION_PSI_MAX + 1];
	struct msg m = { .type = MSG_STREAM_EMM };

	if (len > MSG_CAM_SECTION_MAX)
		return;
	for (size_t i = 0; i < s->n_cams; i++) {
		const struct ca_softcam *c = &s->cams[i];

		if (!c->up || !c->emm || c->card.caid != w->caid ||
		    s->emm_room == 0 ||
		    ca_card_judge_emm(&c->card, w->caid, section, len) ==
			    EMM_OTHER)
			continue;
		s->emm_room--;
		hex_write(digits, section, len);
		m.stream_emm = (struct msg_cam_section){
			.name = c->id, .caid = w->caid, .section = digits,
		};
		(void)s->cfg.send(&m, s->cfg.arg);
	}
}

static void read_sections(struct ca_stage *s, struct ca_watch *w,
			  const uint8_t *packet, uint64_t now_ns)
{
	const uint8_t *section;
	size_t len;

	section_push(&w->assembler, packet);
	while (w->used && (section = section_pull(&w->assembler, &len))) {
		if (w->kind == CA_WATCH_EMM) {
			take_emm(s, w, section, len);
		} else if (w->kind == CA_WATCH_ECM) {
			if (section[0] != ECM_EVEN && section[0] != ECM_ODD)
				continue;
			(void)remember(s, w, section, len);
			ca_ask_note(s, w, now_ns);
		} else if (section[0] == CAT_TABLE_ID &&
			   remember(s, w, section, len)) {
			ca_refs_read_cat(section, len, &s->emms);
			/* ca_plan() may use w for another PID */
			ca_plan(s);
		}
	}
}

/* --- packets --- */

static void look_at(struct ca_stage *s, const uint8_t *p, uint64_t now_ns)
{
	static const uint8_t prefix[3] = { 0, 0, 1 };
	uint16_t pid = ts_pid(p);
	uint8_t class = s->classes[pid];
	size_t at;

	if (class == PID_PSI && psi_feed(s->psi, p))
		ca_plan(s);
	if (s->watch_of[pid] != 0)
		read_sections(s, s->watches[s->watch_of[pid] - 1], p, now_ns);
	if ((class != PID_VIDEO && class != PID_AUDIO) || !ts_pusi(p) ||
	    ts_scrambling(p) != 0)
		return;
	/* the transport header is clear: is the payload of the PES packet
	 * scrambled? */
	at = ts_payload_offset(p);
	s->pes_scrambled += at + PES_FLAGS < TS_PACKET &&
			    memcmp(p + at, prefix, sizeof prefix) == 0 &&
			    (p[at + PES_FLAGS] & 0xc0) == 0x80 &&
			    (p[at + PES_FLAGS] & 0x30) != 0;
}

static void release(struct ca_stage *s, uint64_t now_ns)
{
	struct ts_run run;
	uint64_t arrived_ns;

	while ((run = delay_pull(&s->delay, now_ns, &arrived_ns)).n > 0) {
		ca_stage_apply_later(s, arrived_ns);
		descrambler_feed(s->cfg.descrambler, &run, 1, now_ns);
	}
}

void ca_stage_feed(struct ca_stage *s, const struct ts_run *runs, size_t n_runs,
		   uint64_t now_ns)
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			look_at(s, runs[i].data + k * TS_PACKET, now_ns);
	if (s->delay.ms == 0) {
		descrambler_feed(s->cfg.descrambler, runs, n_runs, now_ns);
		return;
	}
	for (size_t i = 0; i < n_runs; i++)
		delay_push(&s->delay, runs[i], now_ns);
	release(s, now_ns);
}

void ca_stage_turn(struct ca_stage *s, uint64_t now_ns)
{
	if (s->delay.ms > 0)
		release(s, now_ns);
	ca_ask_turn(s, now_ns);
}

uint64_t ca_stage_next_ns(const struct ca_stage *s)
{
	return delay_next_ns(&s->delay);
}

/* --- softcams --- */

void ca_stage_take_cam(struct ca_stage *s, const struct msg_stream_cam *m,
		       uint64_t now_ns)
{
	size_t i = 0;
	struct ca_softcam *c;

	while (i < s->n_cams && strcmp(s->cams[i].id, m->softcam) != 0)
		i++;
	if (i == s->n_cams)
		return;
	c = &s->cams[i];
	c->up = m->error[0] == '\0';
	(void)snprintf(c->error, sizeof c->error, "%s", m->error);
	c->emm = m->emm;
	c->ignore_cw = m->ignore_cw;
	c->timeout_ms = m->timeout_ms;
	c->skip_ecm = m->skip_ecm;
	if (c->up || c->card.caid == 0)
		ca_card_read(m, &c->card);
	/* a message about a softcam that is not logged in may have no shift */
	if (i == 0 && s->cfg.shift_ms == CAM_SHIFT_DEFAULT &&
	    (c->up || m->shift_ms > 0)) {
		s->cfg.shift_ms = m->shift_ms;
		s->delay.ms = m->shift_ms;
	}
	ca_plan(s);
	if (c->up)
		ca_ask_again(s, i, now_ns);
	else
		s->busy = true;
}

/* --- once a second --- */

/* Has the group had no answer of its first softcam to its last ECMs for
 * LATE_MS? */
static bool is_late(const struct ca_group *g, uint64_t now_ns)
{
	const struct ca_request *r = &g->requests[g->first];

	return r->version != 0 && r->state != CA_DONE && !r->wrong &&
	       now_ns - r->open_ns >= LATE_MS * MS;
}

struct descrambler_counts ca_stage_second(struct ca_stage *s, uint64_t now_ns)
{
	struct descrambler_counts sum = { 0 };

	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		struct ca_group *g = &s->groups[i];
		struct descrambler_counts counts;

		if (!g->used)
			continue;
		counts = descrambler_take_counts(s->cfg.descrambler,
						 (uint8_t)i);
		g->missed = descrambler_take_missed(s->cfg.descrambler,
						    (uint8_t)i);
		sum.starts += counts.starts;
		sum.wrong_starts += counts.wrong_starts;
		g->is_wrong = counts.wrong_starts > counts.starts / 2;
		g->is_late = is_late(g, now_ns);
		if (counts.starts < STARTS_MIN)
			continue;
		if (!g->is_wrong)
			g->wrong_s = 0;
		else if (g->requests[g->first].state == CA_DONE &&
			 ++g->wrong_s >= WRONG_SECONDS) {
			g->wrong_s = 0;
			ca_ask_leave(s, g, now_ns);
		}
	}
	s->pes_scrambled_before = s->pes_scrambled;
	s->pes_scrambled = 0;
	s->emm_room = CA_EMM_RATE;
	packet_ring_trim(&s->delay.ring);
	return sum;
}

/* Writes why a group has no control word from this softcam. */
static void explain(const struct ca_group *g, const struct ca_softcam *c,
		    const struct ca_request *r, struct errmsg *ret)
{
	if (!c->up)
		errmsg_set(ret, "softcam %s: %s", c->id,
			   c->error[0] != '\0' ? c->error : "not connected");
	else if (r->ref.pid == 0)
		errmsg_set(ret, "softcam %s: program %u has no ECM of CAID "
			   "%04X, the CAID of the card", c->id, g->pnr,
			   c->card.caid);
	else if (r->state == CA_NONE)
		errmsg_set(ret, "softcam %s: no ECM received on PID %u", c->id,
			   r->ref.pid);
	else if (r->state == CA_FAILED)
		errmsg_set(ret, "softcam %s: no control word: %s", c->id,
			   r->error);
	else
		errmsg_set(ret, "softcam %s: waiting for the control word",
			   c->id);
}

void ca_stage_explain_wrong(const struct ca_stage *s,
			    const struct descrambler_counts *counts,
			    struct errmsg *ret)
{
	const struct ca_group *g = NULL;
	const char *id = s->cams[0].id;
	struct errmsg why;

	for (size_t i = 0; i < CA_GROUPS_MAX; i++)
		if (s->groups[i].used && (g == NULL || !g->is_wrong))
			g = &s->groups[i];
	if (g != NULL)
		id = s->cams[g->first].id;
	if (g == NULL || !g->is_late) {
		errmsg_set(ret, "softcam %s: the control words are wrong: "
			   "%u of %u PES packets have no start code", id,
			   counts->wrong_starts, counts->starts);
		return;
	}
	explain(g, &s->cams[g->first], &g->requests[g->first], &why);
	errmsg_set(ret, "%s; with the last control word %u of %u PES packets "
		   "have no start code", why.text, counts->wrong_starts,
		   counts->starts);
}

bool ca_stage_error(const struct ca_stage *s, struct errmsg *ret)
{
	bool any = false;

	if (s->pes_scrambled_before > 0) {
		errmsg_set(ret, "the stream is scrambled at PES level, which "
			   "is not supported: only scrambling at TS level is");
		return true;
	}
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		const struct ca_group *g = &s->groups[i];

		any |= g->used;
		if (!g->used || g->missed == 0)
			continue;
		explain(g, &s->cams[g->first], &g->requests[g->first], ret);
		return true;
	}
	if (any || !psi_has_pmt(s->psi))
		return false;
	errmsg_set(ret, "softcam %s: the PMT has no CA descriptor",
		   s->cams[0].id);
	return true;
}

/* --- start and end --- */

void ca_stage_reset(struct ca_stage *s)
{
	psi_reset(s->psi);
	delay_reset(&s->delay);
	for (size_t i = 0; i < CA_WATCHES_MAX; i++)
		if (s->watches[i] != NULL)
			section_reset(&s->watches[i]->assembler);
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		s->groups[i].n_later = 0;
		explicit_bzero(s->groups[i].later, sizeof s->groups[i].later);
	}
}

struct ca_stage *ca_stage_new(const struct ca_stage_config *cfg)
{
	struct ca_stage *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->cfg.cams = NULL;
	s->n_cams = cfg->cams->n;
	for (size_t i = 0; i < s->n_cams; i++)
		(void)snprintf(s->cams[i].id, sizeof s->cams[i].id, "%s",
			       cfg->cams->ids[i]);
	s->psi = psi_new();
	if (cfg->pnr != 0)
		psi_want(s->psi, cfg->pnr);
	s->classes = psi_classes(s->psi);
	s->emm_room = CA_EMM_RATE;
	delay_init(&s->delay, cfg->shift_ms == CAM_SHIFT_DEFAULT
				      ? 0 : cfg->shift_ms);
	descrambler_assign_all(cfg->descrambler, DESCRAMBLER_NO_GROUP);
	return s;
}

void ca_stage_free(struct ca_stage **ps)
{
	struct ca_stage *s = *ps;

	*ps = NULL;
	if (s == NULL)
		return;
	psi_free(&s->psi);
	delay_done(&s->delay);
	for (size_t i = 0; i < CA_WATCHES_MAX; i++)
		free(s->watches[i]);
	explicit_bzero(s->groups, sizeof s->groups);
	free(s);
}
