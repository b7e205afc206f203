/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests to the worker of a service, in the order in which they are sent:
 * those with the worker, and those that wait.
 *
 * A request is embedded in its job.  When the owner sends the request, it sets
 * seq and increments tries.
 */
#pragma once

#include <stdint.h>
#include <sys/queue.h>

enum { SERVICE_TRIES_MAX = 2 };

struct service_request {
	TAILQ_ENTRY(service_request) link;
	uint32_t seq; /* number of the request; 0: it is not with the worker */
	unsigned tries; /* number of times that it was sent to a worker */
};

TAILQ_HEAD(service_requests, service_request);

/* The request with this number (not 0), or NULL if it has ended. */
struct service_request *service_requests_find(const struct service_requests *,
					      uint32_t seq);

/* Makes all requests wait again, because the worker has ended. */
void service_requests_take_back(struct service_requests *);

/* A waiting request during which workers have ended SERVICE_TRIES_MAX times, so
 * that it may be the cause; NULL: there is none. */
struct service_request *
service_requests_find_deadly(const struct service_requests *);
