/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/satip_session.h"

#include "common/base/units.h"

#include <stdio.h>
#include <string.h>

enum {
	KEEP_MAX_S = 30,     /* longest interval of keep-alives */
	KEEP_REFUSED = 3,    /* consecutive failures that end the session */
	WHOLE_REFUSED = 2,   /* refusals of pids=all before PIDs are listed */
	SILENT_SESSIONS = 2, /* silent sessions before change_transport() */
	STATUS_OK = 200,
	STATUS_NOT_FOUND = 404,
	STATUS_NO_SESSION = 454,
	STATUS_NO_BANDWIDTH = 453,
	STATUS_NO_TRANSPORT = 461,
	STATUS_UNAVAILABLE = 503,
};

enum event {
	EVENT_DUE,       /* the pause ended */
	EVENT_CONNECTED,
	EVENT_CLOSED,    /* the connection failed or ended */
	EVENT_LATE,      /* connection or reply exceeded its time limit */
	EVENT_OK,
	EVENT_BUSY,      /* no free tuner */
	EVENT_LOST,      /* the server does not know the session */
	EVENT_REFUSED,   /* any other answer */
	EVENT_DEAD,      /* see satip_session_death(); or RTCP with BYE */
	EVENT_TUNED,     /* the owner wants another multiplex */
	EVENTS,
};

struct context {
	const struct rtsp_reply *reply; /* of OK, BUSY, LOST and REFUSED */
	const char *reason;             /* of EVENT_CLOSED and EVENT_DEAD */
	uint64_t now_ns;
};

/* The action of an event in a state; returns the next state. */
typedef enum satip_state action_fn(struct satip_session *,
				   const struct context *);

static uint64_t in_time(const struct context *c)
{
	return c->now_ns + SATIP_CONNECT_MS * MS;
}

static void forget_session(struct satip_session *s)
{
	s->id[0] = '\0';
	s->asked = false;
	s->refused = 0;
	s->delivered = false;
	s->media_ns = s->report_ns = s->lock_ns = 0;
	s->changing = s->unsure = false;
	s->place = (struct rtsp_transport){ 0 };
}

static void request(struct satip_session *s, const char *method,
		    const char *url)
{
	buf_printf(&s->out, "%s %s RTSP/1.0\r\nCSeq: %u\r\n", method, url,
		   ++s->cseq);
	if (s->id[0] != '\0')
		buf_printf(&s->out, "Session: %s\r\n", s->id);
}

static void request_of(struct satip_session *s, const char *method,
		       struct buf *url)
{
	buf_append(url, "", 1);
	request(s, method, (const char *)buf_head(url));
	buf_done(url);
}

static void finish_request(struct satip_session *s, const struct context *c)
{
	buf_printf(&s->out, "\r\n");
	s->asked = true;
	s->deadline_ns = in_time(c);
}

/* --- actions --- */

static enum satip_state begin(struct satip_session *s, const struct context *c)
{
	s->deadline_ns = in_time(c);
	return SATIP_CONNECT;
}

static enum satip_state set_up(struct satip_session *s,
			       const struct context *c)
{
	struct buf url = { 0 };

	forget_session(s);
	s->tuned = false;
	buf_printf(&url, "rtsp://%s/?%s&", s->cfg.host, s->cfg.query);
	s->asked_pids = s->wanted;
	if (s->listed)
		satip_pids_print(&s->wanted, &url);
	else
		buf_printf(&url, "pids=all");
	request_of(s, "SETUP", &url);
	if (s->transport == SATIP_TCP)
		buf_printf(&s->out, "Transport: RTP/AVP/TCP;unicast;"
			   "interleaved=0-1\r\n");
	else if (s->transport == SATIP_MULTICAST)
		buf_printf(&s->out, "Transport: RTP/AVP;multicast\r\n");
	else
		buf_printf(&s->out, "Transport: RTP/AVP;unicast;"
			   "client_port=%u-%u\r\n", s->cfg.client_port,
			   s->cfg.client_port + 1u);
	finish_request(s, c);
	return SATIP_SETUP;
}

/* Ends the old session, because the server would keep its tuner. */
static enum satip_state tear_down(struct satip_session *s,
				  const struct context *c)
{
	if (!satip_session_exists(s))
		return set_up(s, c);
	satip_session_end(s);
	s->asked = true;
	s->deadline_ns = c->now_ns + SATIP_LEAVE_MS * MS;
	return SATIP_LEAVE;
}

/* Sends TEARDOWN, and the owner closes the connection until the pause ends.
 * Without a connection the id is kept, for tear_down() after the next one. */
static enum satip_state pause_for(struct satip_session *s, unsigned most_s,
				  const struct context *c)
{
	char id[sizeof s->id];

	if (s->connected)
		satip_session_end(s);
	s->connected = false;
	memcpy(id, s->id, sizeof id);
	forget_session(s);
	memcpy(s->id, id, sizeof id);
	s->deadline_ns = 0;
	retry_after(&s->retry, most_s, c->now_ns);
	return SATIP_WAIT;
}

static void name_status(struct satip_session *s, const char *what,
			const struct rtsp_reply *r)
{
	if (r->status == 0)
		errmsg_set(&s->error, "%s: the server sent a reply without a "
			   "status code", what);
	else
		errmsg_set(&s->error, "%s: the server replied %u%s%s", what,
			   r->status, r->reason[0] != '\0' ? " " : "",
			   r->reason);
}

static const char *method_of(const struct satip_session *s)
{
	return s->state == SATIP_SETUP ? "SETUP"
	       : s->state == SATIP_PLAY || s->changing ? "PLAY" : "OPTIONS";
}

static enum satip_state busy(struct satip_session *s, const struct context *c)
{
	const char *reason = c->reply->reason;
	enum satip_state next = pause_for(s, SATIP_BUSY_MAX_S, c);

	errmsg_set(&s->error, "no free tuner: the server replied %u%s%s; next "
		   "attempt after %u s", c->reply->status,
		   reason[0] != '\0' ? " " : "", reason, s->retry.delay_s);
	return next;
}

/* Switches between TCP and UDP; false: the transport is fixed or multicast. */
static bool change_transport(struct satip_session *s)
{
	if (s->cfg.fixed_transport || s->transport == SATIP_MULTICAST)
		return false;
	s->transport = s->transport == SATIP_TCP ? SATIP_UDP
							: SATIP_TCP;
	return true;
}

static enum satip_state refused(struct satip_session *s,
				const struct context *c)
{
	name_status(s, method_of(s), c->reply);
	if (c->reply->status == STATUS_NO_TRANSPORT) {
		(void)change_transport(s);
	} else if (s->cfg.whole &&
		   (s->listed || ++s->doubts == WHOLE_REFUSED)) {
		/* either the server lacks pids=all, or it has just started and
		 * refuses any query */
		s->listed = !s->listed;
		s->doubts = 0;
	}
	return pause_for(s, SATIP_FAILED_MAX_S, c);
}

static enum satip_state failed(struct satip_session *s,
			       const struct context *c)
{
	errmsg_set(&s->error, "%s", c->reason);
	return pause_for(s, SATIP_FAILED_MAX_S, c);
}

static enum satip_state late(struct satip_session *s, const struct context *c)
{
	if (s->state == SATIP_CONNECT)
		errmsg_set(&s->error, "no connection to the server within %u "
			   "s", SATIP_CONNECT_MS / 1000u);
	else
		errmsg_set(&s->error, "%s: no reply within %u s", method_of(s),
			   SATIP_CONNECT_MS / 1000u);
	return pause_for(s, SATIP_FAILED_MAX_S, c);
}

/* Takes the transport of a reply; false: the session cannot receive with it. */
static bool take_place(struct satip_session *s, const struct rtsp_reply *r)
{
	s->place = r->transport;
	if (!r->has_transport) /* the requested one */
		s->place.kind = s->transport;
	if (s->place.kind == SATIP_MULTICAST)
		return s->place.destination[0] != '\0' && s->place.port > 0;
	return s->place.kind == s->transport;
}

static enum satip_state play(struct satip_session *s, const struct context *c)
{
	const struct rtsp_reply *r = c->reply;

	if (r->session[0] == '\0') {
		errmsg_set(&s->error, "SETUP: the reply of the server has no "
			   "session");
		return pause_for(s, SATIP_FAILED_MAX_S, c);
	}
	snprintf(s->id, sizeof s->id, "%s", r->session);
	s->timeout_s = r->timeout_s;
	if (r->stream != RTSP_NO_STREAM)
		snprintf(s->url, sizeof s->url, "rtsp://%s/stream=%d",
			 s->cfg.host, r->stream);
	else
		snprintf(s->url, sizeof s->url, "rtsp://%s/", s->cfg.host);
	if (!take_place(s, r)) {
		(void)change_transport(s);
		errmsg_set(&s->error, "SETUP: the server replied with another "
			   "transport than requested");
		return pause_for(s, SATIP_FAILED_MAX_S, c);
	}
	request(s, "PLAY", s->url);
	finish_request(s, c);
	return SATIP_PLAY;
}

/* Some servers end sessions early, so half of the timeout is the limit. */
static void plan_keep_alive(struct satip_session *s, uint64_t now_ns)
{
	uint64_t interval_ns = MIN(s->timeout_s * SECOND_NS / 2,
				   KEEP_MAX_S * SECOND_NS);

	s->keep_ns = now_ns + interval_ns;
}

static enum satip_state start(struct satip_session *s, const struct context *c)
{
	s->deadline_ns = 0;
	s->heard_ns = c->now_ns;
	s->held = s->asked_pids;
	s->error.text[0] = '\0';
	s->doubts = 0;
	plan_keep_alive(s, c->now_ns);
	return SATIP_ON;
}

static void keep_alive(struct satip_session *s, const struct context *c)
{
	char root[SATIP_URL_MAX];

	plan_keep_alive(s, c->now_ns);
	if (buf_len(&s->out) > 0) /* the server does not read */
		return;
	snprintf(root, sizeof root, "rtsp://%s/", s->cfg.host);
	request(s, "OPTIONS", s->root_keeps ? root : s->url);
	finish_request(s, c);
}

/* Requests the wanted PIDs, which differ from those of the server. */
static void change_pids(struct satip_session *s, const struct context *c)
{
	struct buf url = { 0 };

	if (buf_len(&s->out) > 0) /* the server does not read */
		return;
	s->asked_pids = s->wanted;
	buf_printf(&url, "%s?", s->url);
	if (s->replaces || s->unsure)
		satip_pids_print(&s->wanted, &url);
	else
		satip_pids_print_change(&s->held, &s->wanted, &url);
	request_of(s, "PLAY", &url);
	finish_request(s, c);
	s->changing = true;
}

static enum satip_state kept(struct satip_session *s, const struct context *c)
{
	(void)c;
	if (s->changing) {
		s->held = s->asked_pids;
		s->unsure = false;
		s->error.text[0] = '\0';
	} else {
		s->refused = 0;
	}
	s->changing = false;
	s->deadline_ns = 0;
	return SATIP_ON;
}

/* Handles a failed change of PIDs.  After addpids= failed, whole lists follow
 * (replaces); a whole list that failed is not repeated.  If the whole list only
 * followed a lost reply (unsure), addpids= is used again. */
static void not_changed(struct satip_session *s, const struct context *c)
{
	bool unsure = s->unsure;

	s->changing = false;
	s->unsure = !s->replaces && !unsure && c->reply == NULL;
	if (s->replaces) {
		s->held = s->asked_pids;
		if (c->reply != NULL)
			name_status(s, "PLAY", c->reply);
	}
	s->replaces |= !unsure;
}

/* Handles a failed keep-alive: at once, another is sent for the other URL.
 * After KEEP_REFUSED failures, the session ends unless packets arrive. */
static enum satip_state not_kept(struct satip_session *s,
				 const struct context *c)
{
	s->deadline_ns = 0;
	if (s->changing) {
		not_changed(s, c);
		return SATIP_ON;
	}
	if (++s->refused >= KEEP_REFUSED) {
		s->refused = 0;
		if (satip_session_is_fresh(s->media_ns, SATIP_LIVE_MS,
					   c->now_ns))
			return SATIP_ON;
		errmsg_set(&s->error, "OPTIONS: the server does not confirm "
			   "the session");
		return pause_for(s, SATIP_FAILED_MAX_S, c);
	}
	s->root_keeps = !s->root_keeps;
	keep_alive(s, c);
	return SATIP_ON;
}

/* Connects again: most servers do not end a session with its connection. */
static enum satip_state rejoin(struct satip_session *s,
			       const struct context *c)
{
	if (s->place.kind == SATIP_TCP)
		return failed(s, c);
	s->unsure |= s->changing;
	s->asked = s->changing = false;
	buf_reset(&s->out, 0);
	s->deadline_ns = in_time(c);
	return SATIP_REJOIN;
}

static enum satip_state rejoined(struct satip_session *s,
				 const struct context *c)
{
	keep_alive(s, c);
	return SATIP_ON;
}

static enum satip_state dead(struct satip_session *s, const struct context *c)
{
	bool never = !s->delivered;

	errmsg_set(&s->error, "%s", c->reason);
	if (never && ++s->silent >= SILENT_SESSIONS && change_transport(s))
		s->silent = 0;
	return pause_for(s, SATIP_FAILED_MAX_S, c);
}

/* --- the table --- */

static action_fn *const table[SATIP_STATES][EVENTS] = {
	[SATIP_WAIT] = { [EVENT_DUE] = begin },
	[SATIP_CONNECT] = {
		[EVENT_CONNECTED] = tear_down,
		[EVENT_CLOSED] = failed,
		[EVENT_LATE] = late,
	},
	/* any reply ends this state, also the error of an unknown session; some
	 * servers close the connection after TEARDOWN */
	[SATIP_LEAVE] = {
		[EVENT_CLOSED] = begin,
		[EVENT_LATE] = set_up,
		[EVENT_OK] = set_up,
		[EVENT_BUSY] = set_up,
		[EVENT_LOST] = set_up,
		[EVENT_REFUSED] = set_up,
	},
	[SATIP_SETUP] = {
		[EVENT_CLOSED] = failed,
		[EVENT_LATE] = late,
		[EVENT_OK] = play,
		[EVENT_BUSY] = busy,
		[EVENT_LOST] = refused,
		[EVENT_REFUSED] = refused,
	},
	[SATIP_PLAY] = {
		[EVENT_CLOSED] = failed,
		[EVENT_LATE] = late,
		[EVENT_OK] = start,
		[EVENT_BUSY] = busy,
		[EVENT_LOST] = refused,
		[EVENT_REFUSED] = refused,
		[EVENT_DEAD] = dead,
	},
	[SATIP_ON] = {
		[EVENT_CLOSED] = rejoin,
		[EVENT_LATE] = not_kept,
		[EVENT_OK] = kept,
		[EVENT_BUSY] = not_kept,
		[EVENT_LOST] = set_up,
		[EVENT_REFUSED] = not_kept,
		[EVENT_DEAD] = dead,
		[EVENT_TUNED] = tear_down,
	},
	[SATIP_REJOIN] = {
		[EVENT_CONNECTED] = rejoined,
		[EVENT_CLOSED] = failed,
		[EVENT_LATE] = late,
		[EVENT_DEAD] = dead,
	},
};

static void happen(struct satip_session *s, enum event event,
		   const struct context *c)
{
	action_fn *action = table[s->state][event];

	if (action != NULL)
		s->state = action(s, c);
}

/* --- from the owner --- */

void satip_session_init(struct satip_session *s, const struct satip_config *cfg)
{
	*s = (struct satip_session){ .cfg = *cfg,
				     .transport = cfg->transport,
				     .listed = !cfg->whole };
}

void satip_session_done(struct satip_session *s)
{
	buf_done(&s->out);
}

void satip_session_connected(struct satip_session *s, uint64_t now_ns)
{
	buf_reset(&s->out, 0);
	s->connected = true;
	happen(s, EVENT_CONNECTED, &(struct context){ .now_ns = now_ns });
}

void satip_session_closed(struct satip_session *s, const char *reason,
			  uint64_t now_ns)
{
	s->connected = false;
	happen(s, EVENT_CLOSED, &(struct context){ .reason = reason,
						   .now_ns = now_ns });
}

/* The event of a reply.  A server without a free tuner replies 404, 453 or
 * 503. */
static enum event judge(const struct rtsp_reply *r)
{
	switch (r->status) {
	case STATUS_OK:
		return EVENT_OK;
	case STATUS_NO_SESSION:
		return EVENT_LOST;
	case STATUS_NOT_FOUND:
	case STATUS_NO_BANDWIDTH:
	case STATUS_UNAVAILABLE:
		return EVENT_BUSY;
	default:
		return EVENT_REFUSED;
	}
}

static void take_reply(struct satip_session *s, const struct rtsp_reply *r,
		       uint64_t now_ns)
{
	/* a reply without CSeq belongs to the request that waits; with another
	 * number, the reply is for a request that timed out */
	if (!s->asked || (r->has_cseq && r->cseq != s->cseq))
		return;
	s->asked = false;
	happen(s, judge(r), &(struct context){ .reply = r, .now_ns = now_ns });
}

void satip_session_feed(struct satip_session *s, struct buf *in,
			uint64_t now_ns)
{
	struct rtsp_item item;
	struct errmsg error;
	ssize_t n = 0;

	while (satip_session_wants(s) &&
	       (n = rtsp_decode(buf_head(in), buf_len(in), &item, &error)) >
		       0) {
		bool frame = item.kind == RTSP_FRAME &&
			     s->place.kind == SATIP_TCP && s->id[0] != '\0';

		if (item.kind == RTSP_REPLY)
			take_reply(s, &item.reply, now_ns);
		else if (frame && item.channel == s->place.channel)
			s->cfg.on_media(item.data, item.len, s->cfg.arg);
		else if (frame && item.channel == s->place.channel + 1)
			satip_session_rtcp(s, item.data, item.len, now_ns);
		buf_take(in, (size_t)n);
	}
	if (n < 0)
		satip_session_closed(s, error.text, now_ns);
}

void satip_session_rtcp(struct satip_session *s, const uint8_t *data,
			size_t len, uint64_t now_ns)
{
	struct ses1 report;

	if (s->id[0] == '\0' || ses1_decode(data, len, &report) < 0)
		return;
	s->heard_ns = now_ns;
	satip_session_take_report(s, &report, now_ns);
	if (report.bye)
		happen(s, EVENT_DEAD, &(struct context){
			.reason = "the server ended the session",
			.now_ns = now_ns });
}

void satip_session_turn(struct satip_session *s, uint64_t now_ns)
{
	struct context c = { .now_ns = now_ns };

	if (satip_session_is_on(s))
		c.reason = satip_session_death(s, now_ns);
	if (s->state == SATIP_WAIT && retry_is_due(&s->retry, now_ns)) {
		happen(s, EVENT_DUE, &c);
	} else if (s->deadline_ns != 0 && now_ns >= s->deadline_ns) {
		s->asked = false;
		happen(s, EVENT_LATE, &c);
	} else if (c.reason != NULL) {
		happen(s, EVENT_DEAD, &c);
	} else if (s->tuned && !s->asked) {
		happen(s, EVENT_TUNED, &c);
	} else if (s->state == SATIP_ON && !s->asked && now_ns >= s->keep_ns) {
		keep_alive(s, &c);
	} else if (s->state == SATIP_ON && !s->asked && s->listed &&
		   (s->unsure || !satip_pids_equal(&s->held, &s->wanted))) {
		change_pids(s, &c);
	}
}

void satip_session_end(struct satip_session *s)
{
	if (!satip_session_exists(s))
		return;
	request(s, "TEARDOWN", s->url);
	buf_printf(&s->out, "\r\n");
	s->id[0] = '\0';
}
