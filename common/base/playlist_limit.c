/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/playlist_limit.h"

#include <string.h>

static const struct {
	unsigned all, per_client;
} most[PLAYLIST_KINDS] = {
	[PLAYLIST_STREAMS] = { PLAYLISTS_MAX, PLAYLISTS_PER_CLIENT_MAX },
	[PLAYLIST_MASTER] = { MASTER_PLAYLISTS_MAX,
			      MASTER_PLAYLISTS_PER_CLIENT_MAX },
	[PLAYLIST_GUIDE] = { GUIDES_MAX, GUIDES_PER_CLIENT_MAX },
};

bool playlist_limit_pass(struct playlist_limit *l, enum playlist_kind kind,
			 const struct ip_address *address, uint64_t now_ms)
{
	struct ip_address client = ip_client(address);
	struct playlist_count *c = &l->kinds[kind];
	unsigned i = 0;

	for (size_t k = 0; k < PLAYLIST_KINDS; k++)
		if (l->second != now_ms / 1000)
			l->kinds[k].n = l->kinds[k].n_clients = 0;
	l->second = now_ms / 1000;
	if (c->n >= most[kind].all)
		return false;
	while (i < c->n_clients &&
	       memcmp(&c->clients[i].address, &client, sizeof client) != 0)
		i++;
	if (i == c->n_clients) {
		c->n_clients++;
		c->clients[i].address = client;
		c->clients[i].n = 0;
	}
	if (c->clients[i].n >= most[kind].per_client)
		return false;
	c->clients[i].n++;
	c->n++;
	return true;
}
