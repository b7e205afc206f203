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
	bool changed;       /* what it says was not told yet */
	char iface[16];
	struct sockaddr_any sender; /* without its port */
	char origin[SDP_ORIGIN_MAX + 1];
	uint32_t content;   /* CRC of the packet */
	unsigned mates;     /* sessions of this sender, this one included */
	uint64_t heard_ns;
	uint64_t told_ns;
	uint64_t period_ns; /* the longest pause so far */
	char sender_text[SOCKADDR_TEXT_MAX];
	char name[SDP_NAME_MAX + 1];
	char input[ADDRESS_TEXT_MAX + 1];
	struct errmsg note;
};

struct announced {
	uint64_t now_ns; /* as of the last packet */
	unsigned n;
	unsigned next; /* place to look at first when something is told */
	struct session *places[ANNOUNCED_MAX]; /* NULL: free */
	bool over[ANNOUNCED_MAX]; /* free, and that was not told yet */
	struct session_description description; /* read last */
};

struct announced *announced_new(void)
{
	return xcalloc(1, sizeof(struct announced));
}

void announced_free(struct announced **ap)
{
	struct announced *a = *ap;

	*ap = NULL;
	if (a == NULL)
		return;
	for (size_t i = 0; i < ANNOUNCED_MAX; i++)
		free(a->places[i]);
	free(a);
}

unsigned announced_count(const struct announced *a)
{
	return a->n;
}

static struct sockaddr_any without_port(const struct sockaddr_any *from)
{
	struct sockaddr_any a = *from;

	sockaddr_set_port(&a, 0);
	if (a.sa.sa_family == AF_INET6) {
		a.in6.sin6_flowinfo = 0;
		a.in6.sin6_scope_id = 0;
	}
	return a;
}

static bool is_sent_by(const struct session *s,
		       const struct sockaddr_any *sender)
{
	return s != NULL && sockaddr_equal(&s->sender, sender);
}

static bool is_from(const struct session *s, const struct announced_packet *p,
		    const struct sockaddr_any *sender)
{
	return is_sent_by(s, sender) && strcmp(s->iface, p->iface) == 0;
}

/* How many of a sender there are, told to each of them. */
static unsigned count_mates(struct announced *a,
			    const struct sockaddr_any *sender)
{
	unsigned n = 0;

	for (size_t i = 0; i < ANNOUNCED_MAX; i++)
		n += is_sent_by(a->places[i], sender);
	for (size_t i = 0; i < ANNOUNCED_MAX; i++)
		if (is_sent_by(a->places[i], sender))
			a->places[i]->mates = n;
	return n;
}

static void forget(struct announced *a, size_t place)
{
	struct sockaddr_any sender = a->places[place]->sender;

	free(a->places[place]);
	a->places[place] = NULL;
	a->over[place] = true;
	a->n--;
	(void)count_mates(a, &sender);
}

/* That of the session which was heard once only, and that long ago: another
 * one of its sender would have come by now.  ANNOUNCED_MAX: none. */
static size_t find_doubtful(const struct announced *a)
{
	uint64_t longest = ANNOUNCED_TRIAL_S * SECOND_NS;
	size_t place = ANNOUNCED_MAX;

	for (size_t i = 0; i < ANNOUNCED_MAX; i++) {
		const struct session *s = a->places[i];

		if (s->period_ns > 0 || a->now_ns - s->heard_ns < longest)
			continue;
		longest = a->now_ns - s->heard_ns;
		place = i;
	}
	return place;
}

/* A place for one more session of a sender who has `has`; ANNOUNCED_MAX:
 * none. */
static size_t find_place(struct announced *a, unsigned has)
{
	const struct session *worst = NULL;
	size_t place = 0;

	for (size_t i = 0; i < ANNOUNCED_MAX; i++) {
		const struct session *s = a->places[i];

		if (s == NULL)
			return i;
		if (worst == NULL || s->mates > worst->mates ||
		    (s->mates == worst->mates &&
		     s->heard_ns < worst->heard_ns)) {
			worst = s;
			place = i;
		}
	}
	if (worst->mates <= has + 1)
		place = find_doubtful(a);
	if (place < ANNOUNCED_MAX)
		forget(a, place);
	return place;
}

static struct session *add(struct announced *a,
			   const struct announced_packet *p,
			   const struct sockaddr_any *sender)
{
	size_t place = find_place(a, count_mates(a, sender));
	struct session *s;

	if (place == ANNOUNCED_MAX)
		return NULL;
	s = a->places[place] = xcalloc(1, sizeof *s);
	a->over[place] = false;
	a->n++;
	s->sender = *sender;
	(void)snprintf(s->iface, sizeof s->iface, "%s", p->iface);
	sockaddr_format_host(sender, s->sender_text);
	(void)count_mates(a, sender);
	return s;
}

static void note_heard(struct session *s, uint64_t now_ns)
{
	uint64_t period = now_ns - s->heard_ns;

	if (s->heard_ns != 0 && period > s->period_ns)
		s->period_ns = MIN(period, PERIOD_MAX_S * SECOND_NS);
	s->heard_ns = now_ns;
}

/* What it offers, or why it offers nothing. */
static void describe(struct session *s, const struct session_description *d)
{
	struct sdp_offer offer;

	memcpy(s->name, d->name, sizeof s->name);
	s->input[0] = '\0';
	s->note.text[0] = '\0';
	if (sdp_offer_read(d, 0, &offer, &s->note) < 0)
		return;
	sdp_offer_address(&offer, s->iface, s->input);
	s->note = offer.note;
}

/* ANNOUNCED_MAX: there is none. */
static size_t find(const struct announced *a, const struct announced_packet *p,
		   const struct sockaddr_any *sender, const char *origin)
{
	size_t i = 0;

	while (i < ANNOUNCED_MAX &&
	       !(is_from(a->places[i], p, sender) &&
		 strcmp(a->places[i]->origin, origin) == 0))
		i++;
	return i;
}

/* The same bytes need no second look. */
static struct session *find_same(struct announced *a,
				 const struct announced_packet *p,
				 const struct sockaddr_any *sender,
				 uint32_t content)
{
	for (size_t i = 0; i < ANNOUNCED_MAX; i++)
		if (is_from(a->places[i], p, sender) &&
		    a->places[i]->content == content)
			return a->places[i];
	return NULL;
}

static int end_session(struct announced *a, const struct announced_packet *p,
		       const struct sockaddr_any *sender,
		       const struct sap_packet *sap, struct errmsg *why)
{
	char origin[SDP_ORIGIN_MAX + 1];
	size_t place;
	int r = sdp_parse_origin(sap->text, sap->len, origin, why);

	if (r < 0)
		return r;
	place = find(a, p, sender, origin);
	if (place < ANNOUNCED_MAX)
		forget(a, place);
	return 0;
}

static int hear(struct announced *a, const struct announced_packet *p,
		const struct sockaddr_any *sender, uint32_t content,
		struct session **ret, struct errmsg *why)
{
	struct sap_packet sap;
	struct session *s;
	size_t place;
	int r = sap_packet_decode(p->data, p->len, &sap, why);

	*ret = NULL;
	if (r < 0)
		return r;
	if (sap.deletion)
		return end_session(a, p, sender, &sap, why);
	r = sdp_parse(sap.text, sap.len, &a->description, why);
	if (r < 0)
		return r;
	place = find(a, p, sender, a->description.origin);
	s = place < ANNOUNCED_MAX ? a->places[place] : add(a, p, sender);
	if (s == NULL)
		return errmsg_fail(why, -ENOSPC, "there are more than %d "
				   "sessions", ANNOUNCED_MAX);
	memcpy(s->origin, a->description.origin, sizeof s->origin);
	s->content = content;
	s->changed = true;
	describe(s, &a->description);
	*ret = s;
	return 0;
}

int announced_feed(struct announced *a, const struct announced_packet *p,
		   uint64_t now_ns, struct errmsg *why)
{
	struct sockaddr_any sender = without_port(p->sender);
	uint32_t content = crc32_mpeg(p->data, p->len);
	struct session *s = find_same(a, p, &sender, content);
	int r = 0;

	a->now_ns = now_ns;
	if (s == NULL)
		r = hear(a, p, &sender, content, &s, why);
	if (s != NULL)
		note_heard(s, now_ns);
	return r;
}

void announced_age(struct announced *a, uint64_t now_ns)
{
	for (size_t i = 0; i < ANNOUNCED_MAX; i++) {
		const struct session *s = a->places[i];
		uint64_t life = ANNOUNCED_LIFE_S * SECOND_NS;

		if (s == NULL)
			continue;
		life = MAX(life, PERIODS * s->period_ns);
		if (now_ns - s->heard_ns >= life)
			forget(a, i);
	}
}

static bool is_to_be_told(const struct session *s, uint64_t now_ns)
{
	return s->changed ||
	       (s->heard_ns > s->told_ns &&
		now_ns - s->told_ns >= ANNOUNCED_TELL_S * SECOND_NS);
}

static void tell(struct session *s, uint64_t now_ns,
		 struct announced_place *ret)
{
	s->changed = false;
	s->told_ns = now_ns;
	ret->iface = s->iface;
	ret->sender = s->sender_text;
	ret->name = s->name;
	ret->input = s->input;
	ret->note = s->note.text;
}

bool announced_next(struct announced *a, uint64_t now_ns,
		    struct announced_place *ret)
{
	for (size_t i = 0; i < ANNOUNCED_MAX; i++) {
		unsigned number = (a->next + (unsigned)i) % ANNOUNCED_MAX;
		struct session *s = a->places[number];

		if (s != NULL ? !is_to_be_told(s, now_ns) : !a->over[number])
			continue;
		a->next = number + 1;
		*ret = (struct announced_place){ number, "", "", "", "", "" };
		if (s != NULL)
			tell(s, now_ns, ret);
		else
			a->over[number] = false;
		return true;
	}
	return false;
}
