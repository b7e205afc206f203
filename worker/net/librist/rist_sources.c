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

static void drop(struct rist_sources *s, size_t i)
{
	memmove(&s->list[i], &s->list[i + 1], (--s->n - i) * sizeof *s->list);
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
		drop(s, i);
	}
	s->list[s->n] = (struct rist_source){ .at = *at, .odd = odd };
	return &s->list[s->n++];
}

bool rist_sources_remove(struct rist_sources *s, const struct rist_peer *peer,
			 bool *ret_odd)
{
	size_t i = 0;

	while (i < s->n && s->list[i].peer != peer)
		i++;
	if (i == s->n)
		return false;
	*ret_odd = s->list[i].odd;
	drop(s, i);
	return true;
}
