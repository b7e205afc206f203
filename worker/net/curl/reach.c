/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/reach.h"

#include <string.h>

static bool is_home(const struct reach *r, const struct ip_address *a)
{
	for (size_t i = 0; i < r->n; i++)
		if (memcmp(&r->home[i], a, sizeof *a) == 0)
			return true;
	return false;
}

bool reach_allows(struct reach *r, const struct ip_address *a, bool at_home)
{
	bool is_public = ip_is_public(a);

	if (at_home && r->n == 0)
		r->is_public = is_public;
	if (at_home && r->is_public == is_public && !is_home(r, a) &&
	    r->n < REACH_HOME_MAX)
		r->home[r->n++] = *a;
	return is_public || is_home(r, a);
}
