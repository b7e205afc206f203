/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/playlist_limit.h"

#include <string.h>

bool playlist_limit_pass(struct playlist_limit *l,
			 const struct ip_address *address, uint64_t now_ms)
{
	struct ip_address client = ip_client(address);
	unsigned i = 0;

	if (l->second != now_ms / 1000)
		l->n = l->n_clients = 0;
	l->second = now_ms / 1000;
	if (l->n >= PLAYLISTS_MAX)
		return false;
	while (i < l->n_clients &&
	       memcmp(&l->clients[i].address, &client, sizeof client) != 0)
		i++;
	if (i == l->n_clients) {
		l->n_clients++;
		l->clients[i].address = client;
		l->clients[i].n = 0;
	}
	if (l->clients[i].n >= PLAYLISTS_PER_CLIENT_MAX)
		return false;
	l->clients[i].n++;
	l->n++;
	return true;
}
