/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the messages of the workers of softcams, and passes messages between
 * them and the streams. */
#include "common/base/log.h"
#include "common/base/mono.h"
#include "master/softcams/softcam_state.h"

#include <stdio.h>
#include <string.h>

/* --- to the streams --- */

static void send_state(struct softcam_user *u, const char *id,
		       const struct softcam *c, const struct softcam_proc *p)
{
	struct msg m = { .type = MSG_STREAM_CAM };
	struct msg_stream_cam *s = &m.stream_cam;

	*s = (struct msg_stream_cam){
		.softcam = id,
		.error = "there is no such softcam",
		.ua = "",
		.timeout_ms = SOFTCAM_TIMEOUT_S * 1000,
	};
	if (c != NULL) {
		s->error = c->error.text[0] != '\0' ? c->error.text
						   : "not connected";
		s->caid = c->conf.caid;
		s->timeout_ms = c->conf.timeout_s * 1000;
		s->shift_ms = c->conf.shift_ms;
		s->skip_ecm = c->conf.skip_ecm;
		s->ignore_cw = c->conf.ignore_cw;
	}
	if (p != NULL && !p->up && p->error[0] != '\0')
		s->error = p->error;
	if (p != NULL && p->up) {
		s->error = "";
		if (s->caid == 0)
			s->caid = p->card.caid;
		s->emm = p->card.au && !c->conf.disable_emm;
		s->ua = p->card.ua;
		s->n = p->card.n;
		memcpy(s->idents, p->card.idents, sizeof s->idents);
	}
	u->send(&m, u->arg);
}

void softcam_report_to(const struct softcams *s, struct softcam_user *u,
		       const char *id)
{
	const struct softcam *c = softcam_find(s, id);

	if (u->up)
		send_state(u, id, c,
			   c != NULL ? softcam_proc_of(c, u->stream) : NULL);
}

void softcam_report(const struct softcams *s, const char *id)
{
	struct softcam_user *u;

	LIST_FOREACH(u, &s->users, link)
		if (softcam_is_used_by(u, id))
			softcam_report_to(s, u, id);
}

/* --- from the streams --- */

void softcams_take(struct softcams *s, struct softcam_user *u,
		   const struct msg *m)
{
	bool is_ecm = m->type == MSG_STREAM_ECM;
	const struct msg_cam_section *from = is_ecm ? &m->stream_ecm
						    : &m->stream_emm;
	const struct softcam *c = s != NULL ? softcam_find(s, from->name)
					    : NULL;
	struct softcam_proc *p = c != NULL ? softcam_proc_of(c, u->stream)
					   : NULL;
	struct msg to = { .type = is_ecm ? MSG_SOFTCAM_ECM : MSG_SOFTCAM_EMM };
	struct msg_cam_section *section = is_ecm ? &to.softcam_ecm
						 : &to.softcam_emm;
	struct ratelimit *limit = is_ecm ? &u->ecms : &u->emms;
	unsigned suppressed;
	bool passes;

	if (!softcam_is_used_by(u, from->name))
		return;
	/* limited, so that a stream cannot fill the queue of a worker that
	 * serves others */
	limit->burst = SOFTCAM_ASKS_MAX;
	passes = ratelimit_pass(limit, mono_ms(), &suppressed);
	if (p != NULL && p->up && passes) {
		*section = *from;
		section->name = u->stream;
		service_proc_send(p->item.service, &to, NULL);
		return;
	}
	if (!is_ecm)
		return;
	to = (struct msg){ .type = MSG_STREAM_WORD };
	to.stream_word = (struct msg_cam_word){
		.name = from->name, .number = from->number,
		.even = "", .odd = "",
		.error = passes ? "not connected" : "too many requests" };
	u->send(&to, u->arg);
}

/* --- from the softcams --- */

static void tell(const struct softcam_proc *p, bool up)
{
	struct softcams *s = p->of->all;
	struct softcam_info info;

	if (s->on_event == NULL || p->of->removed ||
	    !softcams_get(s, p->of->id, &info) || info.up != up)
		return;
	s->on_event(&info, s->arg);
}

static void take_card(struct softcam_proc *p,
		      const struct msg_softcam_result *card)
{
	char error[SOFTCAM_ERROR_MAX];
	unsigned suppressed;
	bool news;

	/* the text of a worker may contain any character */
	(void)snprintf(error, sizeof error, "%s",
		       card->error != NULL ? card->error : "");
	for (char *c = error; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	p->up = card->error == NULL;
	news = p->up || strcmp(p->error, error) != 0;
	p->card = *card;
	p->card.error = NULL;
	if (news && !p->up && ratelimit_pass(&p->log, mono_ms(), &suppressed))
		log_warning(service_proc_name(p->item.service), "%s", error);
	memcpy(p->error, error, sizeof error);
	if (p->of->removed)
		return;
	/* streams that name the softcam then send their ECMs again */
	if (news)
		softcam_report(p->of->all, p->of->id);
	if (!p->up)
		tell(p, false);
}

static void take_word(struct softcam_proc *p, const struct msg_cam_word *word)
{
	struct msg m = { .type = MSG_STREAM_WORD, .stream_word = *word };
	struct softcam_user *u;

	m.stream_word.name = p->of->id;
	LIST_FOREACH(u, &p->of->all->users, link) {
		if (strcmp(u->stream, word->name) != 0)
			continue;
		if (u->up && !p->of->removed &&
		    softcam_is_used_by(u, p->of->id))
			u->send(&m, u->arg);
		return;
	}
}

/* True: this worker sends the events of the softcam.  With split_cam, the first
 * one that is logged in does. */
static bool reports(const struct softcam_proc *p)
{
	const struct service_item *first;

	TAILQ_FOREACH(first, &p->of->procs.items, link)
		if (((const struct softcam_proc *)first)->up)
			return first == &p->item;
	return false;
}

static void on_message(const struct msg *m, void *self)
{
	struct softcam_proc *p = self;

	if (m->type == MSG_SOFTCAM_CARD) {
		take_card(p, &m->softcam_card);
	} else if (m->type == MSG_SOFTCAM_WORD) {
		take_word(p, &m->softcam_word);
	} else if (m->type == MSG_SOFTCAM_STATUS) {
		p->status = m->softcam_status;
		if (reports(p))
			tell(p, true);
	}
}

static void on_hello(void *self)
{
	const struct softcam_proc *p = self;
	const struct softcam_conf *conf = &p->of->conf;
	const struct msg m = { .type = MSG_SOFTCAM_START, .softcam_start = {
		.host = conf->host,
		.port = conf->port,
		.user = conf->user,
		.password = conf->password,
		.key = conf->key,
		.timeout_ms = conf->timeout_s * 1000,
	} };

	service_proc_send(p->item.service, &m, NULL);
}

/* The worker has ended.  The streams keep their control words, and send ECMs
 * again after the next login. */
static void on_down(void *self)
{
	struct softcam_proc *p = self;

	p->up = false;
	p->error[0] = '\0';
	p->of->refused += p->status.refused;
	p->of->timeouts += p->status.timeouts;
	p->status = (struct msg_softcam_status){ 0 };
	if (!p->of->removed)
		softcam_report(p->of->all, p->of->id);
}

const struct service_kind softcam_kind = {
	.role = "softcam",
	.program = SPAWN_WORKER_NET,
	.beat = MSG_SOFTCAM_STATUS,
	.remedy = "a change of the softcam starts it at once",
	.on_hello = on_hello,
	.on_message = on_message,
	.on_down = on_down,
};
