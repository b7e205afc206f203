/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/rist/rist_peers.h"

#include "common/base/mono.h"
#include "common/base/util.h"

#include <stdio.h>
#include <string.h>

/* A host that was silent for so long loses its port, and its silent peer loses
 * the entry if another peer of the host needs it. */
enum { OWNS_MS = 2000 };

void rist_peers_init(struct rist_peers *p, size_t max, size_t of_host_max,
		     unsigned flags)
{
	*p = (struct rist_peers){ .max = max, .of_host_max = of_host_max,
				  .flags = flags };
	(void)pthread_mutex_init(&p->lock, NULL);
}

void rist_peers_done(struct rist_peers *p)
{
	(void)pthread_mutex_destroy(&p->lock);
}

void rist_peers_close(struct rist_peers *p, bool closed)
{
	(void)pthread_mutex_lock(&p->lock);
	p->closed = closed;
	(void)pthread_mutex_unlock(&p->lock);
}

static struct rist_known *find(struct rist_peers *p,
			       const struct rist_peer *peer)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].peer == peer)
			return &p->list[i];
	return NULL;
}

void rist_peers_wait(struct rist_peers *p, size_t path,
		     const struct sockaddr_any *at)
{
	(void)pthread_mutex_lock(&p->lock);
	p->own[path] = *at;
	(void)pthread_mutex_unlock(&p->lock);
}

/* Do both peers count for the same limit?  Senders count at their local port;
 * all receivers count together. */
static bool counts_with(const struct rist_peers *p, const struct rist_known *k,
			const struct rist_known *new)
{
	return (p->flags & RIST_PEERS_SEND) == 0 ||
	       (k->path == new->path && k->port == new->port);
}

static size_t count(const struct rist_peers *p, const struct rist_known *new,
		    bool of_host)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += counts_with(p, &p->list[i], new) &&
		     (!of_host || strcmp(p->list[i].host, new->host) == 0);
	return n;
}

static bool has_place(const struct rist_peers *p, const struct rist_known *new)
{
	return p->n < RIST_KNOWN_MAX && count(p, new, false) < p->max &&
	       count(p, new, true) < p->of_host_max;
}

static uint64_t last_ms(const struct rist_known *k)
{
	return MAX(k->came_ms, k->active_ms);
}

/* Removes the peer of this host that was silent for longest, if that is more
 * than OWNS_MS: a sender that restarts uses new ports, and librist keeps the
 * old peers for seconds. */
static void drop_silent(struct rist_peers *p, const struct rist_known *new)
{
	struct rist_known *dead = NULL;

	for (size_t i = 0; i < p->n; i++) {
		struct rist_known *k = &p->list[i];
		uint64_t at_ms = MIN(last_ms(k), new->came_ms);

		if (counts_with(p, k, new) && strcmp(k->host, new->host) == 0 &&
		    new->came_ms - at_ms > OWNS_MS &&
		    (dead == NULL || last_ms(k) < last_ms(dead)))
			dead = k;
	}
	if (dead != NULL)
		*dead = p->list[--p->n];
}

/* Is another host active at the port of this path, and this one not?  Data goes
 * to an even port, reports go to the next one. */
static bool is_port_taken(const struct rist_peers *p,
			  const struct rist_known *new)
{
	bool another = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct rist_known *k = &p->list[i];
		uint64_t silent_ms =
			new->came_ms - MIN(k->active_ms, new->came_ms);

		if (k->path != new->path || k->active_ms == 0 ||
		    silent_ms > OWNS_MS)
			continue;
		if (strcmp(k->host, new->host) == 0)
			return false;
		another = true;
	}
	return another;
}

int rist_peers_on_connect(void *arg, const char *host, uint16_t port,
			  const char *local_host, uint16_t local_port,
			  struct rist_peer *peer)
{
	struct rist_peers *p = arg;
	struct rist_known new = {
		.peer = peer,
		.port = local_port,
		.came_ms = mono_ms(),
	};
	bool pair = (p->flags & RIST_PEERS_OWN_PORTS) != 0;
	uint16_t data_port = (uint16_t)(local_port & (pair ? ~1U : ~0U));
	const char *error = NULL;
	struct sockaddr_any at;

	/* In the main profile librist 0.2.7 passes bytes of the host's text as
	 * its port. In the simple profile the port is right, see
	 * rist_guard_admit(). */
	(void)port;
	(void)snprintf(new.host, sizeof new.host, "%s", host);
	(void)snprintf(new.at, sizeof new.at, "%s", host);
	(void)pthread_mutex_lock(&p->lock);
	/* several paths may listen on one port, at different addresses */
	if (sockaddr_parse(local_host, data_port, &at) == 0)
		while (new.path < RIST_PEERS_MAX &&
		       !sockaddr_equal(&p->own[new.path], &at))
			new.path++;
	new.path %= RIST_PEERS_MAX; /* path of an unknown address: the first */
	if (pair && is_port_taken(p, &new))
		error = "another sender is active";
	else if ((p->flags & RIST_PEERS_SEND) != 0 && !has_place(p, &new))
		drop_silent(p, &new);
	if (error == NULL && p->closed)
		error = "auth.enable is true, and the output does not have the "
			"option no_auth";
	if (error == NULL && !has_place(p, &new))
		error = "too many peers";
	if (error == NULL) {
		p->list[p->n++] = new;
	} else {
		p->refused++;
		errmsg_set(&p->refusal, "%s: call refused: %s",
			   new.at, error);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return error == NULL ? 0 : -1;
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

void rist_peers_add(struct rist_peers *p, struct rist_peer *peer, size_t path,
		    const struct sockaddr_any *at)
{
	struct rist_known k = { .peer = peer, .called = true, .path = path };

	sockaddr_format_host(at, k.host);
	sockaddr_format(at, k.at);
	(void)pthread_mutex_lock(&p->lock);
	if (p->n < RIST_KNOWN_MAX)
		p->list[p->n++] = k;
	(void)pthread_mutex_unlock(&p->lock);
}

void rist_peers_state(struct rist_peers *p, const struct rist_peer *peer,
		      bool up)
{
	struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	/* In the simple profile the RTCP half of the called peer answers, and
	 * only the other half has an entry. */
	if (k == NULL && p->n == 1 && p->list[0].called)
		k = &p->list[0];
	if (k != NULL)
		k->up = up;
	(void)pthread_mutex_unlock(&p->lock);
}

void rist_peers_received(struct rist_peers *p, const struct rist_peer *peer,
			 uint64_t now_ms)
{
	struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	if (k != NULL)
		k->active_ms = now_ms;
	(void)pthread_mutex_unlock(&p->lock);
}

size_t rist_peers_path(struct rist_peers *p, const struct rist_peer *peer)
{
	const struct rist_known *k;
	size_t path;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	path = k != NULL ? k->path : 0;
	(void)pthread_mutex_unlock(&p->lock);
	return path;
}

void rist_peers_format_one(struct rist_peers *p, const struct rist_peer *peer,
			   char *at)
{
	const struct rist_known *k;

	(void)pthread_mutex_lock(&p->lock);
	k = find(p, peer);
	(void)snprintf(at, SOCKADDR_TEXT_MAX, "%s", k != NULL ? k->at : "?");
	(void)pthread_mutex_unlock(&p->lock);
}

unsigned rist_peers_take_refused(struct rist_peers *p, struct errmsg *error)
{
	unsigned n;

	(void)pthread_mutex_lock(&p->lock);
	n = p->refused;
	p->refused = 0;
	*error = p->refusal;
	(void)pthread_mutex_unlock(&p->lock);
	return n;
}

void rist_peers_format(struct rist_peers *p, uint64_t active_since_ms,
		       unsigned without_paths, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	(void)pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->n && len < size; i++) {
		const struct rist_known *k = &p->list[i];

		if (active_since_ms > 0 ? k->active_ms < active_since_ms
					: !k->up)
			continue;
		if (k->called && (without_paths >> k->path & 1) != 0)
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s%s",
					len > 0 ? ", " : "", k->at);
	}
	(void)pthread_mutex_unlock(&p->lock);
}
