/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/control_peers.h"

#include "common/base/alloc.h"
#include "common/base/ip_prefix.h"
#include "common/base/peers.h"
#include "common/base/util.h"

#include <stdlib.h>

enum { CONTROL_PEERS_DEFAULT = 128 };

struct peers *control_peers_new(const json_t *settings)
{
	const json_t *max = json_object_get(settings,
					    "connections_per_address");
	const json_t *list = json_object_get(settings, "real_ip_trusted");
	const json_t *item;
	struct peers_config cfg = { .max = CONTROL_PEERS_DEFAULT };
	struct ip_prefix *proxies;
	struct peers *peers;
	size_t i;

	if (json_is_integer(max) && json_integer_value(max) >= 0)
		cfg.max = (unsigned)MIN(json_integer_value(max),
					(json_int_t)INT32_MAX);
	if (cfg.max == 0)
		return NULL;
	proxies = xcalloc(json_array_size(list) + 1, sizeof *proxies);
	cfg.proxies = proxies;
	/* invalid prefixes are reported by the check of the configuration */
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		const char *text = json_string_value(item);

		if (text != NULL &&
		    ip_prefix_parse(text, &proxies[cfg.n_proxies]) == 0)
			cfg.n_proxies++;
	}
	peers = peers_new(&cfg);
	free(proxies);
	return peers;
}
