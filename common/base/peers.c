/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/peers.h"

#include "common/base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/random.h>

enum { BUCKETS = 1024 };

struct peer {
	LIST_ENTRY(peer) bucket;
	struct peers *peers;
	struct ip_address address;
	unsigned n;  /* connections of the address, > 0 */
	size_t held; /* bytes that its connections hold */
	/* least recently used first */
	TAILQ_HEAD(peer_places, peer_place) places;
};

struct peers {
	LIST_HEAD(, peer) buckets[BUCKETS];
	uint64_t seed; /* secret: clients cannot fill one bucket */
	unsigned max;
	size_t n; /* addresses in the table */
	size_t n_proxies;
	struct ip_prefix *proxies;
};

struct peers *peers_new(const struct peers_config *cfg)
{
	struct peers *p = xcalloc(1, sizeof *p);

	peers_limit(p, cfg);
	if (getrandom(&p->seed, sizeof p->seed, GRND_NONBLOCK) < 0)
		p->seed = (uintptr_t)p;
	return p;
}

void peers_limit(struct peers *p, const struct peers_config *cfg)
{
	size_t size = cfg->n_proxies * sizeof cfg->proxies[0];

	p->max = cfg->max;
	p->n_proxies = cfg->n_proxies;
	free(p->proxies);
	p->proxies = NULL;
	if (size > 0)
		p->proxies = memcpy(xcalloc(1, size), cfg->proxies, size);
}

void peers_free(struct peers **p)
{
	assert(*p == NULL || (*p)->n == 0);
	if (*p != NULL)
		free((*p)->proxies);
	free(*p);
	*p = NULL;
}

bool peers_limited(const struct peers *p, const struct ip_address *a)
{
	for (size_t i = 0; i < p->n_proxies; i++)
		if (ip_prefix_has(&p->proxies[i], a))
			return false;
	return !ip_is_loopback(a);
}

/* The counted connections of the address; NULL: it has none.  *ret_bucket is
 * its bucket in the table. */
static struct peer *find(struct peers *p, const struct ip_address *client,
			 size_t *ret_bucket)
{
	struct peer *peer;

	*ret_bucket = ip_hash(client, p->seed) % BUCKETS;
	LIST_FOREACH(peer, &p->buckets[*ret_bucket], bucket)
		if (memcmp(peer->address.bytes, client->bytes, IP_BYTES) == 0)
			break;
	return peer;
}

static struct peer *add(struct peers *p, const struct ip_address *client,
			size_t bucket)
{
	struct peer *peer = xcalloc(1, sizeof *peer);

	peer->peers = p;
	peer->address = *client;
	TAILQ_INIT(&peer->places);
	LIST_INSERT_HEAD(&p->buckets[bucket], peer, bucket);
	p->n++;
	return peer;
}

int peers_enter(struct peers *p, const struct ip_address *a, struct peer **ret)
{
	struct ip_address client = ip_client(a);
	struct peer *peer;
	size_t bucket;

	*ret = NULL;
	if (!peers_limited(p, a))
		return 0;
	peer = find(p, &client, &bucket);
	if (peer != NULL && p->max > 0 && peer->n >= p->max)
		return -EUSERS;
	if (peer == NULL)
		peer = add(p, &client, bucket);
	peer->n++;
	*ret = peer;
	return 0;
}

struct peer_place *peers_place(struct peers *p, const struct ip_address *a,
			       struct peer_place *place)
{
	struct ip_address client = ip_client(a);
	struct peer *peer;
	size_t bucket;

	if (!peers_limited(p, a))
		return NULL;
	peer = find(p, &client, &bucket);
	if (peer == NULL)
		peer = add(p, &client, bucket);
	peer->n++;
	place->peer = peer;
	TAILQ_INSERT_TAIL(&peer->places, place, entry);
	return p->max > 0 && peer->n > p->max ? TAILQ_FIRST(&peer->places)
					      : NULL;
}

void peer_place_use(struct peer_place *place)
{
	if (place->peer == NULL)
		return;
	TAILQ_REMOVE(&place->peer->places, place, entry);
	TAILQ_INSERT_TAIL(&place->peer->places, place, entry);
}

void peer_place_leave(struct peer_place *place)
{
	if (place->peer == NULL)
		return;
	TAILQ_REMOVE(&place->peer->places, place, entry);
	peer_leave(&place->peer);
}

size_t peer_hold(struct peer *p, ssize_t bytes)
{
	return p != NULL ? p->held += (size_t)bytes : 0;
}

void peer_leave(struct peer **pp)
{
	struct peer *p = *pp;

	*pp = NULL;
	if (p == NULL || --p->n > 0)
		return;
	LIST_REMOVE(p, bucket);
	p->peers->n--;
	free(p);
}
