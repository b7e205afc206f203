/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/session_table.h"

#include "common/base/alloc.h"
#include "common/base/crc32.h"
#include "common/base/units.h"
#include "worker/sdp/offer.h"
#include "worker/sdp/sap_packet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIODS = 10, PERIOD_MAX_S = 3600 };

struct session {
	bool changed;       /* changed since the last report */
	char iface[16];
	struct sockaddr_any sender; /* without its port */
	char origin[SDP_ORIGIN_MAX + 1];
	uint32_t content;   /* CRC of the last packet */
	unsigned of_sender; /* number of sessions of this sender */
	uint64_t received_ns;
	uint64_t reported_ns;
	uint64_t period_ns; /* longest time between two announcements, at most
			     * PERIOD_MAX_S; 0: only one announcement yet */
	char sender_text[SOCKADDR_TEXT_MAX];
	char name[SDP_NAME_MAX + 1];
	char input[ADDRESS_TEXT_MAX + 1];
	struct errmsg note;
};

struct session_table {
	uint64_t now_ns; /* time of the last packet */
	unsigned n;
	unsigned next; /* index of the entry that is checked first for the next
			* report */
	struct session *places[SESSIONS_MAX]; /* NULL: free */
	/* the removal of the session with this number is to be reported */
	bool ended[SESSIONS_MAX];
	struct session_description description; /* the last packet, decoded */
};

struct session_table *session_table_new(void)
{
	return xcalloc(1, sizeof(struct session_table));
}

void session_table_free(struct session_table **ap)
{
	struct session_table *a = *ap;

	*ap = NULL;
	if (a == NULL)
		return;
	for (size_t i = 0; i < SESSIONS_MAX; i++)
		free(a->places[i]);
	free(a);
}

unsigned session_table_count(const struct session_table *a)
{
	return a->n;
}

static bool is_sent_by(const struct session *s,
		       const struct sockaddr_any *sender)
{
	return s != NULL && sockaddr_equal(&s->sender, sender);
}

/* Counts the sessions of a sender and updates of_sender in each of them. */
static unsigned count_sessions(struct session_table *a,
			    const struct sockaddr_any *sender)
{
	unsigned n = 0;

	for (size_t i = 0; i < SESSIONS_MAX; i++)
		n += is_sent_by(a->places[i], sender);
	for (size_t i = 0; i < SESSIONS_MAX; i++)
		if (is_sent_by(a->places[i], sender))
			a->places[i]->of_sender = n;
	return n;
}

static void remove_session(struct session_table *a, size_t place)
{
	struct sockaddr_any sender = a->places[place]->sender;

	free(a->places[place]);
	a->places[place] = NULL;
	a->ended[place] = true;
	a->n--;
	(void)count_sessions(a, &sender);
}

/* Finds an entry for another session of a sender that already has `has'
 * sessions: a free entry; or the one of a session of the sender with the most
 * sessions, if that has at least two more; or the one of a session that was
 * announced only once, SESSION_TRIAL_S ago or earlier.  Removes the session of
 * that entry; of several, the one with the oldest announcement.  SESSIONS_MAX:
 * there is no entry. */
static size_t find_place(struct session_table *a, unsigned has)
{
	const struct session *worst = NULL;
	uint64_t longest = SESSION_TRIAL_S * SECOND_NS;
	size_t place = 0, single = SESSIONS_MAX;

	for (size_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *s = a->places[i];

		if (s == NULL)
			return i;
		if (worst == NULL || s->of_sender > worst->of_sender ||
		    (s->of_sender == worst->of_sender &&
		     s->received_ns < worst->received_ns)) {
			worst = s;
			place = i;
		}
		if (s->period_ns == 0 &&
		    a->now_ns - s->received_ns >= longest) {
			longest = a->now_ns - s->received_ns;
			single = i;
		}
	}
	if (worst->of_sender <= has + 1)
		place = single;
	if (place < SESSIONS_MAX)
		remove_session(a, place);
	return place;
}

static struct session *add(struct session_table *a,
			   const struct session_packet *p,
			   const struct sockaddr_any *sender)
{
	size_t place = find_place(a, count_sessions(a, sender));
	struct session *s;

	if (place == SESSIONS_MAX)
		return NULL;
	s = a->places[place] = xcalloc(1, sizeof *s);
	a->ended[place] = false;
	a->n++;
	s->sender = *sender;
	(void)snprintf(s->iface, sizeof s->iface, "%s", p->iface);
	sockaddr_format_host(sender, s->sender_text);
	(void)count_sessions(a, sender);
	return s;
}

/* The index of the session with this origin, or if origin is NULL, with this
 * content.  SESSIONS_MAX: it is not in the table. */
static size_t find(const struct session_table *a,
		   const struct session_packet *p,
		   const struct sockaddr_any *sender, const char *origin,
		   uint32_t content)
{
	for (size_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *s = a->places[i];

		if (is_sent_by(s, sender) && strcmp(s->iface, p->iface) == 0 &&
		    (origin != NULL ? strcmp(s->origin, origin) == 0
				    : s->content == content))
			return i;
	}
	return SESSIONS_MAX;
}

static int parse_packet(struct session_table *a, const struct session_packet *p,
		const struct sockaddr_any *sender, uint32_t content,
		struct session **ret, struct errmsg *error)
{
	struct sap_packet sap;
	char origin[SDP_ORIGIN_MAX + 1];
	struct sdp_offer offer;
	struct session *s;
	size_t place;
	int r = sap_packet_decode(p->data, p->len, &sap, error);

	*ret = NULL;
	if (r < 0)
		return r;
	if (sap.deletion) {
		r = sdp_parse_origin(sap.text, sap.len, origin, error);
		if (r < 0)
			return r;
		place = find(a, p, sender, origin, 0);
		if (place < SESSIONS_MAX)
			remove_session(a, place);
		return 0;
	}
	r = sdp_parse(sap.text, sap.len, &a->description, error);
	if (r < 0)
		return r;
	place = find(a, p, sender, a->description.origin, 0);
	s = place < SESSIONS_MAX ? a->places[place] : add(a, p, sender);
	if (s == NULL)
		return errmsg_fail(error, -ENOSPC, "table full: more than %d "
				   "sessions", SESSIONS_MAX);
	memcpy(s->origin, a->description.origin, sizeof s->origin);
	s->content = content;
	s->changed = true;
	memcpy(s->name, a->description.name, sizeof s->name);
	s->input[0] = '\0';
	s->note.text[0] = '\0';
	if (sdp_offer_read(&a->description, 0, &offer, &s->note) == 0 &&
	    sdp_offer_judge(&offer, true, &s->note) == 0) {
		sdp_offer_address(&offer, s->iface, s->input);
		s->note = offer.note;
	}
	*ret = s;
	return 0;
}

int session_table_feed(struct session_table *a, const struct session_packet *p,
		   uint64_t now_ns, struct errmsg *error)
{
	struct sockaddr_any sender = *p->sender;
	uint32_t content = crc32_mpeg(p->data, p->len);
	struct session *s = NULL;
	size_t same;
	int r = 0;

	sockaddr_set_port(&sender, 0);
	if (sender.sa.sa_family == AF_INET6) {
		sender.in6.sin6_flowinfo = 0;
		sender.in6.sin6_scope_id = 0;
	}
	a->now_ns = now_ns;
	/* a packet that is identical to the last one of a session is not parsed
	 * again */
	same = find(a, p, &sender, NULL, content);
	if (same < SESSIONS_MAX)
		s = a->places[same];
	else
		r = parse_packet(a, p, &sender, content, &s, error);
	if (s == NULL)
		return r;
	if (s->received_ns != 0 && now_ns - s->received_ns > s->period_ns)
		s->period_ns = MIN(now_ns - s->received_ns,
				   PERIOD_MAX_S * SECOND_NS);
	s->received_ns = now_ns;
	return r;
}

void session_table_expire(struct session_table *a, uint64_t now_ns)
{
	for (size_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *s = a->places[i];
		uint64_t life = SESSION_LIFE_S * SECOND_NS;

		if (s == NULL)
			continue;
		life = MAX(life, PERIODS * s->period_ns);
		if (now_ns - s->received_ns >= life)
			remove_session(a, i);
	}
}

bool session_table_next_report(struct session_table *a, uint64_t now_ns,
		    struct session_report *ret)
{
	const uint64_t report_ns = SESSION_REPORT_S * SECOND_NS;

	for (size_t i = 0; i < SESSIONS_MAX; i++) {
		unsigned number = (a->next + (unsigned)i) % SESSIONS_MAX;
		struct session *s = a->places[number];
		bool due = s == NULL
				   ? a->ended[number]
				   : s->changed ||
					     (s->received_ns > s->reported_ns &&
					      now_ns - s->reported_ns >=
						      report_ns);

		if (!due)
			continue;
		a->next = number + 1;
		*ret = (struct session_report){ number, "", "", "", "", "" };
		a->ended[number] = false;
		if (s == NULL)
			return true;
		s->changed = false;
		s->reported_ns = now_ns;
		ret->iface = s->iface;
		ret->sender = s->sender_text;
		ret->name = s->name;
		ret->input = s->input;
		ret->note = s->note.text;
		return true;
	}
	return false;
}
