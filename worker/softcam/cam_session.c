/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/cam_session.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/util.h"
#include "common/loop/timer.h"
#include "proto/spec/cam_spec.h"

#include <errno.h>
#include <ev.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { CLIENT_GENERIC = 0x8888 };

enum stage { STAGE_GREETING, STAGE_LOGIN, STAGE_CARD, STAGE_OPEN };

struct cam_session {
	struct cam_session_config cfg;
	enum stage stage;
	ev_io readable;
	ev_timer deadline; /* time limit of the login; after the card: time of
			    * the next keepalive */
	bool asked; /* a keepalive was sent after the last message of the
		     * server */
	bool failed; /* a message could not be sent: on_end follows */
	char hash[NEWCAMD_HASH + 1];
	char *user;
	uint8_t key[NEWCAMD_DES_KEY]; /* key of this stage */
	uint16_t id; /* id of the next message */
	size_t n;    /* received bytes of the frame that is not complete */
	uint8_t received[NEWCAMD_FRAME_MAX];
};

static void stop(struct cam_session *s)
{
	ev_io_stop(s->cfg.loop, &s->readable);
	ev_timer_stop(s->cfg.loop, &s->deadline);
}

/* Ends the session through on_end, in which the owner may free s.  The caller
 * must not use s afterwards. */
static void end(struct cam_session *s, enum cam_session_end how)
{
	stop(s);
	s->cfg.on_end(how, s->cfg.arg);
}

/* Sends a frame by one call, because servers do not reassemble a frame.  False:
 * it could not be sent as a whole. */
static bool put(struct cam_session *s, enum newcamd_type type, const void *body,
		size_t len)
{
	struct newcamd_msg m = { .type = (uint8_t)type, .id = s->id++,
				 .body = body, .len = len };
	uint8_t frame[NEWCAMD_FRAME_MAX];
	ssize_t size;

	if (type == NEWCAMD_LOGIN)
		m.sid = CLIENT_GENERIC;
	size = newcamd_write(s->key, &m, frame);
	return size > 0 &&
	       send(s->cfg.fd, frame, (size_t)size, MSG_NOSIGNAL) == size;
}

static bool log_in(struct cam_session *s, const uint8_t *greeting)
{
	uint8_t body[CAM_USER_MAX + 1 + sizeof s->hash];
	size_t len = strlen(s->user) + 1;
	bool sent;

	newcamd_login_key(s->cfg.key, greeting, s->key);
	if (len > CAM_USER_MAX + 1)
		return false;
	memcpy(body, s->user, len);
	memcpy(body + len, s->hash, sizeof s->hash);
	s->stage = STAGE_LOGIN;
	sent = put(s, NEWCAMD_LOGIN, body, len + sizeof s->hash);
	explicit_bzero(body, sizeof body);
	return sent;
}

/* Takes the answer to the login.  False: the session has ended, and the owner
 * may have freed s. */
static bool take_login(struct cam_session *s, const struct newcamd_msg *m)
{
	if (m->type == NEWCAMD_LOGIN_NAK) {
		end(s, CAM_DENIED);
		return false;
	}
	if (m->type != NEWCAMD_LOGIN_ACK) {
		end(s, CAM_MALFORMED);
		return false;
	}
	newcamd_session_key(s->cfg.key, s->hash, s->key);
	s->stage = STAGE_CARD;
	if (put(s, NEWCAMD_CARD_REQUEST, NULL, 0))
		return true;
	end(s, CAM_CLOSED);
	return false;
}

static void rest_until_keepalive(struct cam_session *s)
{
	s->deadline.repeat = s->cfg.keepalive_ms > 0
				     ? s->cfg.keepalive_ms / 1e3
				     : CAM_KEEPALIVE_S;
	ev_timer_again(s->cfg.loop, &s->deadline);
}

/* Takes the description of the card; ignores keepalives.  False: the owner may
 * have freed s, so the caller must not use s. */
static bool take_card(struct cam_session *s, const struct newcamd_msg *m)
{
	struct card card;

	if (m->type == NEWCAMD_KEEPALIVE)
		return true;
	if (m->type != NEWCAMD_CARD ||
	    card_read(m->body, m->len, &card) < 0) {
		end(s, CAM_MALFORMED);
		return false;
	}
	s->stage = STAGE_OPEN;
	if (s->cfg.on_message != NULL)
		rest_until_keepalive(s);
	else
		stop(s);
	s->cfg.on_card(&card, s->cfg.arg);
	return false;
}

/* The number of bytes of the greeting, of a frame's length, or of the frame
 * that is being received; -EBADMSG: no frame begins with the bytes that were
 * received. */
static ssize_t wanted(const struct cam_session *s)
{
	if (s->stage == STAGE_GREETING)
		return NEWCAMD_GREETING;
	return s->n < 2 ? 2 : newcamd_frame_len(s->received);
}

/* Takes a complete greeting or frame.  False: the owner may have freed s, so
 * the caller must not use s. */
static bool take(struct cam_session *s)
{
	struct newcamd_msg m;

	if (s->stage == STAGE_GREETING) {
		s->n = 0;
		if (log_in(s, s->received))
			return true;
		end(s, CAM_CLOSED);
		return false;
	}
	if (newcamd_read(s->key, s->received, s->n, &m) < 0) {
		end(s, CAM_MALFORMED);
		return false;
	}
	s->n = 0;
	if (s->stage != STAGE_OPEN)
		return s->stage == STAGE_LOGIN ? take_login(s, &m)
					       : take_card(s, &m);
	s->asked = false;
	if (!s->failed)
		rest_until_keepalive(s);
	if (m.type == NEWCAMD_KEEPALIVE)
		return true;
	/* the owner ignores unknown types */
	s->cfg.on_message(&m, s->cfg.arg);
	return false;
}

static void on_readable(struct ev_loop *loop, ev_io *w, int revents)
{
	struct cam_session *s = container_of(w, struct cam_session, readable);
	ssize_t want, got;

	(void)loop, (void)revents;
	/* reads a whole frame if possible, because on_deadline() may run
	 * next */
	while ((want = wanted(s)) >= 0 && s->n < (size_t)want) {
		got = recv(s->cfg.fd, s->received + s->n, (size_t)want - s->n,
			   0);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got <= 0) {
			/* a server that closes after the login has refused it:
			 * with a wrong key it cannot send a reply */
			end(s, s->stage == STAGE_LOGIN ? CAM_DENIED
						       : CAM_CLOSED);
			return;
		}
		s->n += (size_t)got;
	}
	if (want < 0)
		end(s, CAM_MALFORMED);
	else
		(void)take(s);
}

static void on_deadline(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct cam_session *s = container_of(w, struct cam_session, deadline);

	(void)loop, (void)revents;
	if (s->failed)
		end(s, CAM_CLOSED);
	else if (s->stage != STAGE_OPEN || s->asked)
		end(s, CAM_SILENT);
	else if (put(s, NEWCAMD_KEEPALIVE, NULL, 0))
		s->asked = true;
	else
		end(s, CAM_CLOSED);
}

int cam_session_send(struct cam_session *s, struct newcamd_msg *m)
{
	uint8_t frame[NEWCAMD_FRAME_MAX];
	ssize_t size;

	m->id = s->id;
	size = newcamd_write(s->key, m, frame);
	if (size < 0)
		return (int)size;
	if (s->failed || send(s->cfg.fd, frame, (size_t)size, MSG_NOSIGNAL) !=
				 size) {
		s->failed = true;
		s->deadline.repeat = 1e-3;
		ev_timer_again(s->cfg.loop, &s->deadline);
		return -EPIPE;
	}
	s->id++;
	return m->id;
}

struct cam_session *cam_session_new(const struct cam_session_config *cfg)
{
	struct cam_session *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->user = xstrdup(cfg->user);
	if (newcamd_hash(cfg->password, s->hash) < 0)
		alloc_fail(); /* memory is the only possible reason */
	s->cfg.user = s->cfg.password = NULL;
	ev_io_init(&s->readable, on_readable, cfg->fd, EV_READ);
	ev_init(&s->deadline, on_deadline);
	/* the lowest priority: an answer that has arrived is read before */
	ev_set_priority(&s->deadline, EV_MINPRI);
	ev_io_start(cfg->loop, &s->readable);
	timer_start(cfg->loop, &s->deadline, cfg->timeout_ms / 1e3);
	return s;
}

void cam_session_free(struct cam_session **ps)
{
	struct cam_session *s = *ps;

	*ps = NULL;
	if (s == NULL)
		return;
	stop(s);
	fd_close(&s->cfg.fd);
	explicit_bzero(s->user, strlen(s->user));
	free(s->user);
	explicit_bzero(s, sizeof *s);
	free(s);
}
