/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of mounts. */
#include "common/base/alloc.h"
#include "master/streams/deliver_state.h"

#include <stdlib.h>

/* The name of a mount in the record. */
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

static bool is_taken(const struct mount *of, uint64_t number)
{
	const struct mount *m;

	TAILQ_FOREACH(m, &of->owner->mounts, link)
		if (m != of && m->number == number)
			return true;
	return false;
}

void mount_number_give(struct mount *m)
{
	char *key = mount_key(m);
	json_int_t old = json_integer_value(json_object_get(
		m->owner->numbers, key));

	m->number = old > 0 ? (uint64_t)old
			    : msg_mount_number(mount_address(m), m->path);
	while (is_taken(m, m->number))
		m->number = m->number % INT64_MAX + 1;
	free(key);
}
