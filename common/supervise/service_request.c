/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/service_request.h"

#include <stddef.h>

struct service_request *service_requests_find(const struct service_requests *of,
					      uint32_t seq)
{
	struct service_request *r;

	TAILQ_FOREACH(r, of, link)
		if (r->seq == seq)
			break;
	return r;
}

void service_requests_take_back(struct service_requests *of)
{
	struct service_request *r;

	TAILQ_FOREACH(r, of, link)
		r->seq = 0;
}

struct service_request *
service_requests_find_deadly(const struct service_requests *of)
{
	struct service_request *r;

	TAILQ_FOREACH(r, of, link)
		if (r->seq == 0 && r->tries >= SERVICE_TRIES_MAX)
			break;
	return r;
}
