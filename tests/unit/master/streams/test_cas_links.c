/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/cas_procs.h"

#include "common/supervise/spawn.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { WORKER = 5, START_MS = 100000, SYSTEMS = 64 };

/* A stream that reports no link, as often as a master may call. */
Test(cas_links, a_place_gets_a_link_every_three_seconds_at_most)
{
	struct cas_links links = { 0 };
	unsigned made = 0;

	cr_assert_not(cas_links_lack(&links, 1, 0, START_MS));
	for (uint64_t ms = START_MS; ms < START_MS + 30000; ms += 100) {
		cas_links_report(&links, 0);
		if (!cas_links_lack(&links, 1, WORKER, ms))
			continue;
		cas_links_made(&links, 1, WORKER, ms);
		made++;
	}
	cr_assert_eq(made, 10);
}

Test(cas_links, a_link_that_is_reported_stays)
{
	struct cas_links links = { 0 };

	cas_links_made(&links, 1, WORKER, START_MS);
	for (unsigned i = 0; i < 10; i++)
		cas_links_report(&links, 1u << 1);
	cr_assert_not(cas_links_lack(&links, 1, WORKER, START_MS + 60000));
	cr_assert(cas_links_lack(&links, 1, WORKER + 1, START_MS + 60000));
	cr_assert(cas_links_lack(&links, 0, WORKER, START_MS));
}

static json_t *entry;
static const char *used; /* the id that a stream names */

static const json_t *entry_of(const char *id, void *arg)
{
	(void)id, (void)arg;
	return entry;
}

static bool is_used(const char *id, void *arg)
{
	(void)arg;
	return used != NULL && strcmp(id, used) == 0;
}

/* A stream names this system. */
static void want(struct cas_procs *c, unsigned system)
{
	struct cas_links links = { 0 };
	char id[16];
	json_t *list;

	(void)snprintf(id, sizeof id, "c%u", system);
	list = json_pack("[{s:s}]", "cas_id", id);
	cas_procs_link(c, "s", list, &links, NULL);
	json_decref(list);
}

/* The place of a system; SYSTEMS: it has none. */
static size_t find(struct cas_procs *c, const char *name)
{
	const struct service_list *l = cas_procs_list(c);
	size_t i = 0;

	while (i < l->n &&
	       strcmp(service_proc_name(service_list_at(l, i)), name) != 0)
		i++;
	return i;
}

/* No process starts: the loop does not run. */
Test(cas_links, a_system_gets_the_place_of_one_that_has_ended)
{
	struct ev_loop *loop = ev_loop_new(0);
	struct spawner *spawner = spawner_new(loop, "/nonexistent");
	struct cas_procs *c = cas_procs_new(&(struct cas_procs_config){
		.service = { .loop = loop, .spawner = spawner },
		.entry_of = entry_of, .is_used = is_used,
	});

	entry = json_pack("{s:s, s:i, s:s, s:i}", "id", "c", "ecmg_channel_id",
			  1, "ecmg_host", "127.0.0.1", "ecmg_port", 1);
	for (unsigned i = 0; i < SYSTEMS; i++)
		want(c, i);
	cr_assert_eq(cas_procs_list(c)->n, SYSTEMS);
	want(c, SYSTEMS);
	cr_assert_eq(find(c, "cas c64"), SYSTEMS, "all are wanted");
	service_proc_unwant(service_list_at(cas_procs_list(c), 3));
	service_proc_unwant(service_list_at(cas_procs_list(c), 7));
	used = "c3";
	want(c, SYSTEMS);
	cr_assert_eq(cas_procs_list(c)->n, SYSTEMS);
	cr_assert_lt(find(c, "cas c64"), SYSTEMS);
	cr_assert_eq(find(c, "cas c7"), SYSTEMS, "its place is taken");
	cr_assert_eq(find(c, "cas c3"), 3, "a stream uses it");
	cas_procs_free(&c);
	spawner_free(&spawner);
	json_decref(entry);
	ev_loop_destroy(loop);
}
