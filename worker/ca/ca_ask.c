/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which softcam gets which ECM, and when. */
#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/ca/ca_stage_state.h"

#include <stdio.h>
#include <string.h>

enum {
	/* If another softcam has had a new ECM for so long, while the ECM of
	 * the first softcam has not changed, the other one is asked, too. */
	STUCK_MS = 2000,
	/* so often in a row another softcam must answer before the first
	 * softcam does, to replace it */
	LOST_MAX = 2,
	SPREADS = 4,
};

static void fail(struct ca_request *r, const char *error, uint64_t now_ns)
{
	r->state = CA_FAILED;
	r->since_ns = now_ns;
	r->wrong = false;
	(void)snprintf(r->error, sizeof r->error, "%s", error);
}

static void want(struct ca_stage *s, struct ca_request *r, uint64_t now_ns)
{
	r->state = CA_WANTED;
	r->since_ns = now_ns;
	s->busy = true;
}

void ca_ask_note(struct ca_stage *s, const struct ca_watch *w, uint64_t now_ns)
{
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		struct ca_group *g = &s->groups[i];

		for (size_t k = 0; g->used && k < s->n_cams; k++) {
			struct ca_request *r = &g->requests[k];

			if (r->ref.pid != w->pid || r->version == w->version ||
			    w->count <= s->cams[k].skip_ecm)
				continue;
			if (r->state == CA_NONE || r->state == CA_DONE ||
			    r->wrong)
				r->open_ns = now_ns;
			r->wrong = false;
			r->version = w->version;
			r->arrived_ns = now_ns;
			want(s, r, now_ns);
		}
	}
}

/* --- questions --- */

static bool send_ecm(struct ca_stage *s, const struct ca_group *g, size_t cam,
		     struct ca_request *r)
{
	const struct ca_watch *w;
	char digits[2 * SECTION_PSI_MAX + 1];
	struct msg m = { .type = MSG_STREAM_ECM };

	if (s->watch_of[r->ref.pid] == 0)
		return false;
	w = s->watches[s->watch_of[r->ref.pid] - 1];
	if (w->len == 0 || w->len > MSG_CAM_SECTION_MAX)
		return false;
	hex_write(digits, w->section, w->len);
	s->number = (s->number + 1) & 0xffffff;
	memmove(&r->questions[1], &r->questions[0],
		sizeof r->questions - sizeof r->questions[0]);
	r->questions[0] = (struct ca_question){
		.number = s->cfg.position << 24 | s->number,
		.at_ns = r->arrived_ns,
	};
	m.stream_ecm = (struct msg_cam_section){
		.name = s->cams[cam].id,
		.number = r->questions[0].number,
		.sid = g->pnr,
		.caid = r->ref.caid,
		.provider = r->ref.provider,
		.section = digits,
	};
	return s->cfg.send(&m, s->cfg.arg) == 0;
}

/* The time in ns after which an answer of this softcam is late: its usual time
 * plus SPREADS times the spread, within limits. */
static uint64_t hedge_ns(const struct ca_softcam *c)
{
	uint64_t ns = c->usual_ns + SPREADS * c->spread_ns;

	if (c->usual_ns == 0)
		return CA_HEDGE_DEFAULT_MS * MS;
	return MIN(MAX(ns, CA_HEDGE_MIN_MS * MS), CA_HEDGE_MAX_MS * MS);
}

/* Asks this softcam about its new ECM, if there is one.  True: the next softcam
 * need not be asked. */
static bool try_softcam(struct ca_stage *s, struct ca_group *g, size_t cam,
			uint64_t now_ns)
{
	const struct ca_softcam *c = &s->cams[cam];
	struct ca_request *r = &g->requests[cam];

	if (r->state == CA_WANTED && c->up) {
		if (send_ecm(s, g, cam, r)) {
			r->state = CA_ASKED;
			r->since_ns = now_ns;
		} else {
			fail(r, "the ECM cannot be sent", now_ns);
		}
	}
	if (r->state == CA_ASKED &&
	    now_ns - r->since_ns >= c->timeout_ms * MS)
		fail(r, "timeout", now_ns);
	if (!c->up || r->state == CA_FAILED || r->ref.pid == 0)
		return false;
	if (r->state == CA_ASKED)
		return now_ns - r->since_ns < hedge_ns(c);
	return r->state == CA_DONE;
}

/* True if the ECM of this softcam, which has answered it, does not change,
 * while another softcam has had a new ECM for STUCK_MS. */
static bool is_stuck(const struct ca_stage *s, const struct ca_group *g,
		     size_t cam, uint64_t now_ns)
{
	for (size_t i = 0; i < s->n_cams; i++)
		if (i != cam && g->requests[i].state == CA_WANTED &&
		    s->cams[i].up &&
		    now_ns - g->requests[i].since_ns > STUCK_MS * MS)
			return true;
	return false;
}

static bool is_open(const struct ca_stage *s, const struct ca_group *g)
{
	for (size_t i = 0; i < s->n_cams; i++)
		if (g->requests[i].state == CA_ASKED ||
		    (g->requests[i].state == CA_WANTED && s->cams[i].up))
			return true;
	return false;
}

void ca_ask_turn(struct ca_stage *s, uint64_t now_ns)
{
	if (!s->busy)
		return;
	s->busy = false;
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		struct ca_group *g = &s->groups[i];

		if (!g->used)
			continue;
		if (g->first != 0 && now_ns - g->first_ns >= CA_PREFER_MS * MS)
			g->first = 0;
		for (size_t k = 0; k < s->n_cams; k++) {
			size_t cam = (g->first + k) % s->n_cams;

			if (try_softcam(s, g, cam, now_ns) &&
			    (g->requests[cam].state != CA_DONE ||
			     !is_stuck(s, g, cam, now_ns)))
				break;
		}
		s->busy |= is_open(s, g);
	}
}

void ca_ask_again(struct ca_stage *s, size_t cam, uint64_t now_ns)
{
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		struct ca_request *r = &s->groups[i].requests[cam];

		if (s->groups[i].used && r->version != 0 &&
		    (r->state == CA_FAILED || r->state == CA_ASKED))
			want(s, r, now_ns);
	}
	s->busy = true;
}

static void prefer(struct ca_stage *s, struct ca_group *g, size_t cam,
		   uint64_t now_ns)
{
	log_info("stream", "input %u: ECMs go first to softcam %s, no longer "
		 "to softcam %s",
		 s->cfg.position, s->cams[cam].id, s->cams[g->first].id);
	g->first = cam;
	g->first_ns = now_ns;
	g->lost = 0;
}

void ca_ask_leave(struct ca_stage *s, struct ca_group *g, uint64_t now_ns)
{
	fail(&g->requests[g->first], "wrong control words", now_ns);
	g->requests[g->first].wrong = true;
	/* any other word is better than the wrong ones, also an older one */
	memset(g->newest_ns, 0, sizeof g->newest_ns);
	if (s->n_cams == 1)
		return;
	prefer(s, g, (g->first + 1) % s->n_cams, now_ns);
	if (g->requests[g->first].version != 0)
		want(s, &g->requests[g->first], now_ns);
}

/* --- answers --- */

static void measure(struct ca_softcam *c, uint64_t ns)
{
	uint64_t off = ns > c->usual_ns ? ns - c->usual_ns : c->usual_ns - ns;

	if (c->usual_ns == 0) {
		c->usual_ns = ns;
		c->spread_ns = ns / 2;
		return;
	}
	c->spread_ns = (3 * c->spread_ns + off) / 4;
	c->usual_ns = (7 * c->usual_ns + ns) / 8;
}

/* Reads one of the two words of an answer.  False: the answer has none, or its
 * checksum is wrong; then *ret_wrong is set. */
static bool read_half(const struct ca_softcam *c, const char *digits,
		      uint8_t word[CSA_CONTROL_WORD], bool *ret_wrong)
{
	if (strlen(digits) != 2 * CSA_CONTROL_WORD ||
	    !hex_read(digits, word, CSA_CONTROL_WORD))
		return false;
	for (size_t i = 3; i < CSA_CONTROL_WORD && !c->ignore_cw; i += 4)
		if (word[i] != (uint8_t)(word[i - 3] + word[i - 2] +
					 word[i - 1])) {
			*ret_wrong = true;
			return false;
		}
	return true;
}

/* Passes words to the descrambler.  A word never replaces the word of a newer
 * ECM, because answers of several softcams arrive in any order. */
static void offer(struct ca_stage *s, size_t group, const struct ca_later *l)
{
	static const enum descrambler_parity parities[] = { DESCRAMBLER_EVEN,
							    DESCRAMBLER_ODD };
	uint64_t *newest_ns = s->groups[group].newest_ns;

	for (size_t i = 0; i < ARRAY_LEN(parities); i++) {
		if (!l->has[i] || l->at_ns < newest_ns[i])
			continue;
		newest_ns[i] = l->at_ns;
		descrambler_offer(s->cfg.descrambler, (uint8_t)group,
				  parities[i], l->words[i]);
	}
}

/* Uses words at once, or with a delay when the packets that arrived with their
 * ECM leave it.  If too many words wait, drops the oldest. */
static void use_words(struct ca_stage *s, size_t group,
		      const struct ca_later *words)
{
	struct ca_group *g = &s->groups[group];
	size_t at;

	if (s->delay.ms == 0) {
		offer(s, group, words);
		return;
	}
	if (g->n_later == CA_LATER_MAX) {
		g->n_later--;
		memmove(&g->later[0], &g->later[1],
			g->n_later * sizeof g->later[0]);
	}
	at = g->n_later++;
	for (; at > 0 && g->later[at - 1].at_ns > words->at_ns; at--)
		g->later[at] = g->later[at - 1];
	g->later[at] = *words;
}

/* Takes an answer to an ECM that was replaced meanwhile.  Its words are used
 * only while the new ECM has no answer. */
static void take_slow_answer(struct ca_stage *s, size_t group, size_t cam,
			     const struct msg_cam_word *m, uint64_t at_ns)
{
	const struct ca_request *r = &s->groups[group].requests[cam];
	struct ca_later words = { .at_ns = at_ns };
	bool wrong = false;

	words.has[0] = read_half(&s->cams[cam], m->even, words.words[0],
				 &wrong);
	words.has[1] = read_half(&s->cams[cam], m->odd, words.words[1],
				 &wrong);
	if (r->state != CA_DONE)
		use_words(s, group, &words);
	explicit_bzero(&words, sizeof words);
}

static void take_answer(struct ca_stage *s, size_t group, size_t cam,
			const struct msg_cam_word *m, uint64_t now_ns)
{
	struct ca_group *g = &s->groups[group];
	struct ca_request *r = &g->requests[cam];
	struct ca_later words = { .at_ns = r->arrived_ns };
	bool wrong = false;

	if (r->state == CA_ASKED)
		measure(&s->cams[cam], now_ns - r->since_ns);
	if (m->error[0] != '\0') {
		if (r->state == CA_ASKED)
			fail(r, m->error, now_ns);
		s->busy = true;
		return;
	}
	words.has[0] = read_half(&s->cams[cam], m->even, words.words[0],
				 &wrong);
	words.has[1] = read_half(&s->cams[cam], m->odd, words.words[1],
				 &wrong);
	if (!words.has[0] && !words.has[1]) {
		fail(r, wrong ? "wrong checksum of the control word"
			      : "an answer without a control word", now_ns);
		s->busy = true;
		return;
	}
	r->state = CA_DONE;
	r->since_ns = now_ns;
	if (cam == g->first)
		g->lost = 0;
	else if (g->requests[g->first].state != CA_DONE &&
		 ++g->lost >= LOST_MAX)
		prefer(s, g, cam, now_ns);
	use_words(s, group, &words);
	explicit_bzero(&words, sizeof words);
}

/* Takes an answer.  False: the group has not sent a request with this number to
 * this softcam. */
static bool take_word(struct ca_stage *s, size_t group, size_t cam,
		      const struct msg_cam_word *m, uint64_t now_ns)
{
	const struct ca_request *r = &s->groups[group].requests[cam];
	const struct ca_question *q = r->questions;
	size_t i = 0;

	while (i < CA_QUESTIONS && q[i].number != m->number)
		i++;
	if (i == CA_QUESTIONS)
		return false;
	if (i == 0 && (r->state == CA_ASKED || r->state == CA_FAILED))
		take_answer(s, group, cam, m, now_ns);
	else if (i == 1 || (i > 1 && now_ns - q[i].at_ns <
					     s->cams[cam].timeout_ms * MS))
		take_slow_answer(s, group, cam, m, q[i].at_ns);
	return true;
}

void ca_stage_take_word(struct ca_stage *s, const struct msg_cam_word *m,
			uint64_t now_ns)
{
	if (m->number == 0)
		return;
	for (size_t i = 0; i < CA_GROUPS_MAX; i++)
		for (size_t k = 0; s->groups[i].used && k < s->n_cams; k++)
			if (strcmp(s->cams[k].id, m->name) == 0 &&
			    take_word(s, i, k, m, now_ns))
				return;
}

void ca_stage_apply_later(struct ca_stage *s, uint64_t at_ns)
{
	for (size_t i = 0; i < CA_GROUPS_MAX; i++) {
		struct ca_group *g = &s->groups[i];

		while (g->used && g->n_later > 0 &&
		       g->later[0].at_ns <= at_ns) {
			offer(s, i, &g->later[0]);
			g->n_later--;
			memmove(&g->later[0], &g->later[1],
				g->n_later * sizeof g->later[0]);
			explicit_bzero(&g->later[g->n_later],
				       sizeof g->later[0]);
		}
	}
}
