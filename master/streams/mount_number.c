/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives each mount the number that it had with the previous master, and, until
 * the workers report, the viewers that it had. */
#include "common/base/alloc.h"
#include "master/streams/deliver_state.h"

#include <stdlib.h>
#include <string.h>

/* Returns the key of a mount in the record: its address followed by its path.
 * The caller frees the key. */
static char *mount_key(const struct mount *m)
{
	return xasprintf("%s%s", mount_address(m), m->path);
}

json_t *mount_numbers_write(const struct deliver_proc *d)
{
	json_t *numbers = json_object();
	const struct mount *m;

	TAILQ_FOREACH(m, &d->mounts, link) {
		char *key = mount_key(m);

		if (!m->waits && m->number != msg_mount_number(
					 mount_address(m), m->path))
			(void)json_object_set_new(numbers, key,
				json_integer((json_int_t)m->number));
		free(key);
	}
	return numbers;
}

/* Formats the stream of a mount and its viewers in each worker, a new
 * reference; NULL: it has no viewers. */
static json_t *write_viewers(const struct mount *m)
{
	json_t *list = json_array();
	uint32_t sum = 0;

	for (unsigned i = 0; i < m->owner->n; i++) {
		sum += m->seats[i].viewers;
		(void)json_array_append_new(list,
					    json_integer(m->seats[i].viewers));
	}
	if (sum > 0)
		return json_pack("{s:s, s:o}", "stream", m->stream, "workers",
				 list);
	json_decref(list);
	return NULL;
}

json_t *mount_viewers_write(const struct deliver_proc *d)
{
	json_t *viewers = json_object();
	const struct mount *m;

	TAILQ_FOREACH(m, &d->mounts, link) {
		json_t *own = !m->waits ? write_viewers(m) : NULL;
		char *key = mount_key(m);

		if (own != NULL)
			(void)json_object_set_new(viewers, key, own);
		free(key);
	}
	return viewers;
}

/* Takes the numbers of viewers from the record of the previous master, for use
 * until the adopted workers report.  Ignores the record if another stream has
 * the path now, because the workers then make a new mount. */
static void take_viewers(struct mount *m, const json_t *record)
{
	const json_t *list = json_object_get(record, "workers");
	const char *stream = json_string_value(json_object_get(record,
							       "stream"));
	const struct deliver_proc *d = m->owner;

	if (stream == NULL || strcmp(stream, m->stream) != 0)
		return;
	for (unsigned i = 0; i < d->n; i++) {
		json_int_t n = json_integer_value(json_array_get(list, i));

		if (!d->workers[i]->renewing || n <= 0 || n > INT32_MAX)
			continue;
		m->seats[i].viewers = (uint32_t)n;
		m->seats[i].kept = true;
	}
}

void mount_drop_kept(struct mount *m, unsigned worker)
{
	struct mount_seat *seat = &m->seats[worker];

	if (!seat->kept)
		return;
	seat->kept = false;
	seat->viewers = 0;
	if (m->on_viewers != NULL)
		m->on_viewers(false, m->arg);
}

static bool is_taken(const struct mount *of, uint64_t number)
{
	const struct mount *m;

	TAILQ_FOREACH(m, &of->owner->mounts, link)
		if (m != of && m->number == number)
			return true;
	return false;
}

void mount_continue(struct mount *m)
{
	const json_t *last = m->owner->last;
	char *key = mount_key(m);
	json_int_t old = json_integer_value(json_object_get(
		json_object_get(last, "numbers"), key));

	m->number = old > 0 ? (uint64_t)old
			    : msg_mount_number(mount_address(m), m->path);
	while (is_taken(m, m->number))
		m->number = m->number % INT64_MAX + 1;
	take_viewers(m, json_object_get(json_object_get(last, "viewers"), key));
	free(key);
}
