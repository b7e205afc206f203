/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/denial_log.h"

#include "common/base/log.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct lines {
	unsigned n;
	char last[128];
};

static void take_line(enum log_level level, const char *component,
		      const char *text, void *arg)
{
	struct lines *lines = arg;

	(void)level;
	lines->n++;
	(void)snprintf(lines->last, sizeof lines->last, "%s: %s", component,
		       text);
}

static unsigned deny(struct denial_log *d, unsigned n)
{
	unsigned passed = 0;

	while (n-- > 0)
		passed += denial_log_pass(d);
	return passed;
}

Test(denial_log, the_number_of_the_others_is_logged)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct lines lines = { 0 };
	struct denial_log d;

	log_open(take_line, &lines, LOG_LEVEL_INFO);
	denial_log_init(&d, loop);
	cr_expect_eq(deny(&d, 12), 5u);
	cr_expect_eq(lines.n, 0u);
	/* the next one comes */
	d.limit.window_ms = 1;
	d.limit.started_ms -= 2;
	cr_expect_eq(deny(&d, 1), 1u);
	cr_expect_eq(lines.n, 1u);
	cr_expect_str_eq(lines.last, "auth: 7 denied viewers were not logged");
	denial_log_done(&d);

	/* no denial follows: the window ends */
	denial_log_init(&d, loop);
	d.limit.window_ms = 20;
	cr_expect_eq(deny(&d, 8), 5u);
	ev_run(loop, 0);
	cr_expect_eq(lines.n, 2u);
	cr_expect_str_eq(lines.last, "auth: 3 denied viewers were not logged");
	/* the service ends in the window */
	d.limit.window_ms = 10000;
	(void)deny(&d, 16);
	denial_log_done(&d);
	cr_expect_eq(lines.n, 3u);
	cr_expect(!ev_is_active(&d.timer));
	/* nothing was suppressed */
	denial_log_init(&d, loop);
	(void)deny(&d, 5);
	denial_log_done(&d);
	cr_expect_eq(lines.n, 3u);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	ev_loop_destroy(loop);
}
