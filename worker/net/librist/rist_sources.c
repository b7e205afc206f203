/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_sources.h"

#include <string.h>

struct rist_source *rist_sources_find(struct rist_sources *s,
				      const struct sockaddr_any *at)
{
	for (size_t i = 0; i < s->n; i++)
		if (sockaddr_equal(&s->list[i].at, at))
			return &s->list[i];
	return NULL;
}

struct rist_source *rist_sources_add(struct rist_sources *s,
				     const struct sockaddr_any *at, bool odd)
{
	size_t i = 0;

	if (s->n == RIST_SOURCES_MAX) {
		while (i < s->n && s->list[i].peer != NULL)
			i++;
		if (i == s->n)
			return NULL;
		memmove(&s->list[i], &s->list[i + 1],
			(--s->n - i) * sizeof *s->list);
	}
	s->list[s->n] = (struct rist_source){ .at = *at, .odd = odd };
	return &s->list[s->n++];
}

void rist_sources_peer_gone(struct rist_sources *s,
			    const struct rist_peer *peer)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].peer == peer)
			s->list[i].peer = NULL;
}
