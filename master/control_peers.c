/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/control_peers.h"

#include "common/base/alloc.h"

#include <stdlib.h>

/* Skips invalid prefixes, which the check of the configuration reports. */
static size_t read_proxies(const json_t *list, struct ip_prefix *ret)
{
	const json_t *item;
	size_t i, n = 0;

	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		const char *text = json_string_value(item);

		if (text != NULL && ip_prefix_parse(text, &ret[n]) == 0)
			n++;
	}
	return n;
}

static json_int_t read_max(const json_t *settings)
{
	const json_t *max = json_object_get(settings,
					    "connections_per_address");

	return json_is_integer(max) && json_integer_value(max) >= 0
		       ? MIN(json_integer_value(max), (json_int_t)INT32_MAX)
		       : CONTROL_PEERS_DEFAULT;
}

struct peers *control_peers(const json_t *settings)
{
	const json_t *list = json_object_get(settings, "real_ip_trusted");
	struct peers_config cfg = { .max = (unsigned)read_max(settings) };
	struct ip_prefix *proxies;
	struct peers *peers;

	if (cfg.max == 0)
		return NULL;
	proxies = xcalloc(json_array_size(list) + 1, sizeof *proxies);
	cfg.proxies = proxies;
	cfg.n_proxies = read_proxies(list, proxies);
	peers = peers_new(&cfg);
	free(proxies);
	return peers;
}
