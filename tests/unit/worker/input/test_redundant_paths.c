/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/redundant_paths.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <unistd.h>

static const struct path_state silent = { 0 }, delivers = { .delivers = true };

static void seconds(struct redundant_paths *p, struct path_state first,
		    struct path_state second, unsigned n)
{
	const struct path_state states[] = { first, second };

	while (n-- > 0)
		redundant_paths_every_second(p, states);
}

static struct redundant_paths two_open(void)
{
	struct redundant_paths p;

	redundant_paths_init(&p, 2);
	redundant_path_opened(&p, 0, -1);
	redundant_path_opened(&p, 1, -1);
	return p;
}

Test(redundant_paths, report_a_silent_path_while_another_delivers)
{
	struct redundant_paths p = two_open();

	seconds(&p, delivers, silent, PATH_SILENT_S - 1);
	cr_assert_null(redundant_paths_error(&p));
	cr_assert_not(p.unprotected);
	seconds(&p, delivers, silent, 1);
	cr_assert_str_eq(p.error.text, "path 2: no packets");
	cr_assert(p.unprotected);
	cr_assert_eq(p.unprotected_s, 1);
	seconds(&p, delivers, delivers, 1);
	cr_assert_null(redundant_paths_error(&p));
	cr_assert_eq(p.unprotected_s, 1);
}

/* A pause of the source is no recovery of a path that was silent for hours. */
Test(redundant_paths, remember_silence_over_a_pause_of_all_paths)
{
	struct redundant_paths p = two_open();

	seconds(&p, delivers, silent, PATH_SILENT_S);
	seconds(&p, silent, silent, 5);
	cr_assert_null(redundant_paths_error(&p));
	seconds(&p, delivers, silent, 1);
	cr_assert_str_eq(p.error.text, "path 2: no packets");
}

Test(redundant_paths, do_not_report_an_optional_path)
{
	struct redundant_paths p = two_open();

	seconds(&p, delivers, (struct path_state){ .optional = true }, 10);
	cr_assert_null(redundant_paths_error(&p));
}

Test(redundant_paths, fail_when_the_last_path_fails)
{
	struct redundant_paths p = two_open();
	struct errmsg error = { 0 };

	errmsg_set(&error, "cable cut");
	redundant_path_failed(&p, 0, -EIO, &error);
	cr_assert_eq(redundant_paths_check(&p, &error), 0);
	seconds(&p, silent, delivers, 1);
	cr_assert_str_eq(p.error.text, "path 1: cable cut");
	errmsg_set(&error, "port in use");
	redundant_path_failed(&p, 1, -EADDRINUSE, &error);
	cr_assert_eq(redundant_paths_check(&p, &error), -EIO);
	cr_assert_str_eq(error.text, "cable cut");
	redundant_path_opened(&p, 1, -1);
	cr_assert_eq(redundant_paths_check(&p, &error), 0);
	seconds(&p, silent, delivers, 1);
	cr_assert_str_eq(p.error.text, "path 1: cable cut");
}

Test(redundant_paths, name_the_senders_of_each_path)
{
	struct redundant_paths p = two_open();

	seconds(&p, (struct path_state){ .senders = "a and b" },
		(struct path_state){ .senders = "c and d" }, 1);
	cr_assert_str_eq(p.senders.text, "path 1: a and b; path 2: c and d");
	seconds(&p, delivers, delivers, 1);
	cr_assert_str_empty(p.senders.text);
}

Test(redundant_paths, give_the_texts_of_a_single_path_no_number)
{
	const struct path_state state = { .error = "down", .senders = "a" };
	struct redundant_paths p;

	redundant_paths_init(&p, 1);
	redundant_path_opened(&p, 0, 7);
	cr_assert_eq(p.fd, 7);
	redundant_paths_every_second(&p, &state);
	cr_assert_str_eq(p.error.text, "down");
	cr_assert_str_eq(p.senders.text, "a");
	cr_assert_not(p.unprotected);
}

Test(redundant_paths, wait_for_the_sockets_of_all_paths)
{
	struct redundant_paths p;
	struct pollfd poll_fd = { .events = POLLIN };
	struct errmsg error;
	int a[2], b[2];

	cr_assert_eq(pipe(a), 0);
	cr_assert_eq(pipe(b), 0);
	redundant_paths_init(&p, 2);
	cr_assert_eq(redundant_paths_make_fd(&p, &error), 0);
	redundant_path_opened(&p, 0, a[0]);
	redundant_path_opened(&p, 1, -1);
	redundant_path_set_fd(&p, 1, b[0]);
	poll_fd.fd = p.fd;
	cr_assert_eq(poll(&poll_fd, 1, 0), 0);
	cr_assert_eq(write(b[1], "", 1), 1);
	cr_assert_eq(poll(&poll_fd, 1, 0), 1);
	redundant_paths_done(&p);
}

Test(redundant_paths, wait_for_a_reopened_socket_with_the_same_number)
{
	struct redundant_paths p;
	struct pollfd poll_fd = { .events = POLLIN };
	struct errmsg error;
	int first[2], again[2];

	cr_assert_eq(pipe(first), 0);
	redundant_paths_init(&p, 2);
	cr_assert_eq(redundant_paths_make_fd(&p, &error), 0);
	redundant_path_opened(&p, 0, first[0]);
	(void)close(first[0]);
	cr_assert_eq(pipe(again), 0);
	cr_assert_eq(again[0], first[0]);
	redundant_path_opened(&p, 0, again[0]);
	cr_assert_eq(p.n_open, 1);
	poll_fd.fd = p.fd;
	cr_assert_eq(poll(&poll_fd, 1, 0), 0);
	cr_assert_eq(write(again[1], "", 1), 1);
	cr_assert_eq(poll(&poll_fd, 1, 0), 1);
	redundant_paths_done(&p);
}
