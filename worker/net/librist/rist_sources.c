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

/* Removes a source and returns its kind of port. */
static unsigned drop(struct rist_sources *s, size_t i)
{
	unsigned kind = 1u << s->list[i].odd;

	memmove(&s->list[i], &s->list[i + 1], (--s->n - i) * sizeof *s->list);
	return kind;
}

struct rist_source *rist_sources_add(struct rist_sources *s,
				     const struct sockaddr_any *at, bool odd)
{
	if (s->n == RIST_SOURCES_MAX)
		return NULL;
	s->list[s->n] = (struct rist_source){ .at = *at, .odd = odd };
	return &s->list[s->n++];
}

unsigned rist_sources_remove(struct rist_sources *s,
			     const struct rist_peer *peer)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].peer == peer)
			return drop(s, i);
	return 0;
}

unsigned rist_sources_expire(struct rist_sources *s, uint64_t since_ns)
{
	bool is_full = s->n == RIST_SOURCES_MAX;
	unsigned kinds = 0;
	size_t i = 0;

	/* the oldest source is the first */
	while (i < s->n)
		if (s->list[i].peer == NULL &&
		    (s->list[i].since_ns < since_ns ||
		     (is_full && kinds == 0)))
			kinds |= drop(s, i);
		else
			i++;
	return kinds;
}
