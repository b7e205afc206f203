/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/deliver_state.h"

#include <criterion/criterion.h>

enum { WORKERS = 3 };

/* A master with one mount, of the play port. */
struct bench {
	struct deliver_proc d;
	struct deliver_worker workers[WORKERS];
	struct mount_seat seats[WORKERS];
	struct mount mount;
	unsigned changes; /* on_viewers() */
};

static void on_viewers(bool lost, void *arg)
{
	cr_expect_not(lost);
	((struct bench *)arg)->changes++;
}

/* last: the record of the last master; NULL: none. */
static void setup(struct bench *b, const char *stream, json_t *last)
{
	static char path[] = "/a";

	*b = (struct bench){ .d = { .n = WORKERS, .last = last } };
	TAILQ_INIT(&b->d.mounts);
	for (unsigned i = 0; i < WORKERS; i++)
		b->d.workers[i] = &b->workers[i];
	b->mount = (struct mount){
		.owner = &b->d,
		.path = path,
		.stream = (char *)(uintptr_t)stream,
		.on_viewers = on_viewers,
		.arg = b,
		.seats = b->seats,
	};
	TAILQ_INSERT_TAIL(&b->d.mounts, &b->mount, link);
}

/* Of a master whose stream a001 has 3, 0 and 2 viewers. */
static json_t *write_record(void)
{
	struct bench b;

	setup(&b, "a001", NULL);
	b.seats[0].viewers = 3;
	b.seats[2].viewers = 2;
	return json_pack("{s:o}", "viewers", mount_viewers_write(&b.d));
}

/* The next master, whose workers were adopted up to the last one. */
static void setup_next(struct bench *b, const char *stream)
{
	setup(b, stream, write_record());
	b->workers[0].renewing = b->workers[1].renewing = true;
	mount_continue(&b->mount);
	json_decref(b->d.last);
}

Test(mount_number, a_stream_has_the_viewers_of_adopted_workers)
{
	struct bench b;

	setup_next(&b, "a001");
	cr_expect_eq(b.seats[0].viewers, 3u);
	cr_expect_eq(b.seats[1].viewers, 0u);
	cr_expect_eq(b.seats[2].viewers, 0u);
}

Test(mount_number, another_stream_with_the_path_has_no_viewers_of_the_last)
{
	struct bench b;

	setup_next(&b, "b001");
	cr_expect_eq(mount_viewers(&b.mount), 0u);
	mount_drop_kept(&b.mount, 0);
	cr_expect_eq(b.changes, 0u);
}

Test(mount_number, viewers_that_no_worker_reports_are_dropped)
{
	struct bench b;

	setup_next(&b, "a001");
	mount_drop_kept(&b.mount, 1);
	cr_expect_eq(b.seats[0].viewers, 3u);
	cr_expect_eq(b.changes, 0u);
	mount_drop_kept(&b.mount, 0);
	cr_expect_eq(b.seats[0].viewers, 0u);
	cr_expect_eq(b.changes, 1u);
	/* reported since */
	b.seats[0].viewers = 4;
	mount_drop_kept(&b.mount, 0);
	cr_expect_eq(b.seats[0].viewers, 4u);
	cr_expect_eq(b.changes, 1u);
}
