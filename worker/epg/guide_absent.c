/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Services that disappear from the PAT for a time keep their imported events,
 * because the next import may be hours away. */
#include "worker/epg/guide_state.h"

#include <stdlib.h>

void guide_hide_service(struct guide *g, struct guide_stream *s,
			struct service *service)
{
	s->edited = ++g->edits;
	/* if the service returns, its EIT is read again, so its events from the
	 * EIT are not kept */
	guide_remove_events(g, service, 0, service->n, GUIDE_NOT_IMPORTED);
	if (service->n == 0) {
		guide_free_service(g, service);
		return;
	}
	for (size_t i = 0; i < TABLES; i++) {
		g->counts.bytes -= service->seen[i] != NULL
				? SECTIONS * sizeof *service->seen[i] : 0;
		free(service->seen[i]);
		service->seen[i] = NULL;
	}
	service->absent_from = s;
	service->absent_s = 0;
	TAILQ_INSERT_TAIL(&g->absent, service, in_absent);
}

static void leave(struct guide *g, struct service *service)
{
	TAILQ_REMOVE(&g->absent, service, in_absent);
	service->absent_from = NULL;
}

struct service *guide_unhide_service(struct guide *g,
				     const struct guide_stream *s,
				     uint16_t number)
{
	struct service *service;

	TAILQ_FOREACH(service, &g->absent, in_absent) {
		if (service->absent_from != s || service->number != number)
			continue;
		leave(g, service);
		service->edited = ++g->edits;
		return service;
	}
	return NULL;
}

static void free_hidden(struct guide *g, struct service *service)
{
	leave(g, service);
	guide_free_service(g, service);
}

bool guide_free_hidden(struct guide *g)
{
	struct service *first = TAILQ_FIRST(&g->absent);

	if (first == NULL)
		return false;
	free_hidden(g, first);
	return true;
}

void guide_free_hidden_of(struct guide *g, const struct guide_stream *s)
{
	struct service *service = TAILQ_FIRST(&g->absent), *next;

	for (; service != NULL; service = next) {
		next = TAILQ_NEXT(service, in_absent);
		if (service->absent_from == s)
			free_hidden(g, service);
	}
}

void guide_expire_hidden(struct guide *g, int64_t now_s)
{
	struct service *service = TAILQ_FIRST(&g->absent), *next;

	for (; service != NULL; service = next) {
		next = TAILQ_NEXT(service, in_absent);
		/* now_s < absent_s: the clock was set back */
		if (service->absent_s == 0 || now_s < service->absent_s)
			service->absent_s = now_s;
		if (now_s - service->absent_s >= GUIDE_PAST_S)
			free_hidden(g, service);
	}
}
