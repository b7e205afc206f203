/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist_peers.h"

#include "common/mono.h"
#include "common/util.h"

#include <stdio.h>
#include <string.h>

/* Who was not heard for so long has a port no more. */
enum { OWNS_MS = 2000 };

void rist_peers_init(struct rist_peers *p, size_t max, size_t of_host_max,
		     bool own_ports)
{
	*p = (struct rist_peers){ .max = max, .of_host_max = of_host_max,
				  .own_ports = own_ports };
	(void)pthread_mutex_init(&p->lock, NULL);
}

void rist_peers_done(struct rist_peers *p)
{
	(void)pthread_mutex_destroy(&p->lock);
}

static struct rist_known *find(struct rist_peers *p,
			       const struct rist_peer *peer)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].peer == peer)
			return &p->list[i];
	return NULL;
}

static size_t count_of_host(const struct rist_peers *p, const char *host)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += strcmp(p->list[i].host, host) == 0;
	return n;
}

/* Data comes to an even port, what is said of it to the next one. */
static bool is_of_another(const struct rist_peers *p, const char *host,
			  uint16_t port)
{
	uint64_t now_ms = mono_ms();
	bool another = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct rist_known *k = &p->list[i];

		if (k->port >> 1 != port >> 1 || k->heard_ms == 0 ||
		    now_ms - MIN(k->heard_ms, now_ms) > OWNS_MS)
			continue;
		if (strcmp(k->host, host) == 0)
			return false;
		another = true;
	}
	return another;
}

/* NULL: he is welcome. */
static const char *why_refused(const struct rist_peers *p, const char *host,
			       uint16_t port)
{
	if (p->own_ports && is_of_another(p, host, port))
		return "another one sends";
	if (p->n < p->max && count_of_host(p, host) < p->of_host_max)
		return NULL;
	return "there are too many peers";
}

int rist_peers_on_connect(void *arg, const char *host, uint16_t port,
			  const char *local_host, uint16_t local_port,
			  struct rist_peer *peer)
{
	struct rist_peers *p = arg;
	struct rist_known new = { .peer = peer, .port = local_port };
	const char *why;

	/* in the main profile librist 0.2.7 tells bytes of the text of the host
	 * as its port; in the simple one it is right, see rist_guard_admit() */
	(void)local_host, (void)port;
	(void)snprintf(new.host, sizeof new.host, "%s", host);
	(void)snprintf(new.at, sizeof new.at, "%s", host);
	(void)pthread_mutex_lock(&p->lock);
	why = why_refused(p, new.host, local_port);
	if (why == NULL) {
		p->list[p->n++] = new;
	} else {
		p->refused++;
		errmsg_set(&p->refusal, "%s called and was refused: %s",
			   new.at, why);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return why == NULL ? 0 : -1;
}

int rist_peers_on_gone(void *arg, struct rist_peer *peer)
{
	struct rist_peers *p = arg;
	struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	if (k != NULL)
		*k = p->list[--p->n];
	(void)pthread_mutex_unlock(&p->lock);
	return 0;
}

void rist_peers_add(struct rist_peers *p, struct rist_peer *peer, size_t way,
		    const struct sockaddr_any *at)
{
	struct rist_known k = { .peer = peer, .called = true, .way = way };

	sockaddr_format_host(at, k.host);
	sockaddr_format(at, k.at);
	(void)pthread_mutex_lock(&p->lock);
	if (p->n < p->max)
		p->list[p->n++] = k;
	(void)pthread_mutex_unlock(&p->lock);
}

/* In the simple profile it is the RTCP half of the one we called that answers,
 * of which nothing is known. */
static struct rist_known *find_other_half(struct rist_peers *p)
{
	return p->n == 1 && p->list[0].called ? &p->list[0] : NULL;
}

void rist_peers_state(struct rist_peers *p, const struct rist_peer *peer,
		      bool up)
{
	struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	if (k == NULL)
		k = find_other_half(p);
	if (k != NULL)
		k->up = up;
	(void)pthread_mutex_unlock(&p->lock);
}

void rist_peers_heard(struct rist_peers *p, const struct rist_peer *peer,
		      uint64_t now_ms)
{
	struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	if (k != NULL)
		k->heard_ms = now_ms;
	(void)pthread_mutex_unlock(&p->lock);
}

uint16_t rist_peers_port(struct rist_peers *p, const struct rist_peer *peer)
{
	const struct rist_known *k;
	uint16_t port;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	port = k != NULL ? k->port : 0;
	(void)pthread_mutex_unlock(&p->lock);
	return port;
}

void rist_peers_find(struct rist_peers *p, const struct rist_peer *peer,
		     char *at)
{
	const struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	(void)snprintf(at, SOCKADDR_TEXT_MAX, "%s", k != NULL ? k->at : "?");
	(void)pthread_mutex_unlock(&p->lock);
}

unsigned rist_peers_take_refused(struct rist_peers *p, struct errmsg *why)
{
	unsigned n;

	(void)pthread_mutex_lock(&p->lock);
	n = p->refused;
	p->refused = 0;
	*why = p->refusal;
	(void)pthread_mutex_unlock(&p->lock);
	return n;
}

void rist_peers_format(struct rist_peers *p, uint64_t heard_since_ms,
		       unsigned without_ways, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	(void)pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->n && len < size; i++) {
		const struct rist_known *k = &p->list[i];

		if (heard_since_ms > 0 ? k->heard_ms < heard_since_ms : !k->up)
			continue;
		if (k->called && (without_ways >> k->way & 1) != 0)
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s%s",
					len > 0 ? ", " : "", k->at);
	}
	(void)pthread_mutex_unlock(&p->lock);
}
