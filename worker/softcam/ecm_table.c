/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/softcam/ecm_table.h"

#include "common/base/units.h"

#include <string.h>

static bool is_waiting(const struct ecm *e)
{
	return e->state == ECM_SENT;
}

static bool is_expired(const struct ecm *e, uint64_t now_ns)
{
	uint64_t kept_ms = e->state == ECM_FOUND ? ECM_KEPT_MS
						 : ECM_REFUSED_MS;

	return e->state == ECM_UNUSED ||
	       (!is_waiting(e) && now_ns - e->since_ns >= kept_ms * MS);
}

struct ecm *ecm_table_find(struct ecm_table *t, const struct ecm *wanted,
			   uint64_t now_ns)
{
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm *e = &t->list[i];

		if (!is_expired(e, now_ns) && e->sid == wanted->sid &&
		    e->caid == wanted->caid &&
		    e->provider == wanted->provider && e->len == wanted->len &&
		    memcmp(e->section, wanted->section, e->len) == 0)
			return e;
	}
	return NULL;
}

struct ecm *ecm_table_add(struct ecm_table *t, const struct ecm *wanted,
			  uint64_t now_ns)
{
	struct ecm *place = NULL;

	/* takes an unused entry, or the one with the oldest answer or
	 * time-out */
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm *e = &t->list[i];

		if (is_waiting(e))
			continue;
		if (e->state == ECM_UNUSED) {
			place = e;
			break;
		}
		if (place == NULL || e->since_ns < place->since_ns)
			place = e;
	}
	if (place == NULL)
		return NULL;
	place->state = ECM_SENT;
	explicit_bzero(place->words, sizeof place->words);
	place->sid = wanted->sid;
	place->caid = wanted->caid;
	place->provider = wanted->provider;
	place->sent_ns = place->since_ns = now_ns;
	place->n_askers = 0;
	place->len = wanted->len;
	memcpy(place->section, wanted->section, wanted->len);
	return place;
}

struct ecm *ecm_table_of_id(struct ecm_table *t, uint16_t id)
{
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm *e = &t->list[i];

		if (e->id == id &&
		    (e->state == ECM_SENT || e->state == ECM_LATE))
			return e;
	}
	return NULL;
}

struct ecm *ecm_table_overdue(struct ecm_table *t, unsigned timeout_ms,
			      uint64_t now_ns)
{
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm *e = &t->list[i];

		if (e->state == ECM_SENT &&
		    now_ns - e->since_ns >= timeout_ms * MS)
			return e;
	}
	return NULL;
}

void ecm_table_expire(struct ecm_table *t, uint64_t now_ns)
{
	for (size_t i = 0; i < ECM_TABLE_SIZE; i++) {
		struct ecm *e = &t->list[i];

		if (e->state != ECM_FOUND || !is_expired(e, now_ns))
			continue;
		e->state = ECM_UNUSED;
		explicit_bzero(e->words, sizeof e->words);
	}
}

bool ecm_add_asker(struct ecm *e, const char *stream, uint32_t number)
{
	size_t len = strlen(stream);
	struct ecm_asker *a;

	for (size_t i = 0; i < e->n_askers; i++)
		if (e->askers[i].number == number &&
		    strcmp(e->askers[i].stream, stream) == 0)
			return true;
	if (e->n_askers == ECM_ASKERS_MAX || len > ECM_STREAM_MAX)
		return false;
	a = &e->askers[e->n_askers++];
	memcpy(a->stream, stream, len + 1);
	a->number = number;
	return true;
}
