/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time limits of the control server while the clock of the machine is set
 * by an hour.  This program replaces the calls of the C library that read the
 * clock, for all libraries. */
#include "common/base/alloc.h"
#include "tests/unit/common/http/site.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t step_s;

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (r == 0 && id == CLOCK_REALTIME)
		ret->tv_sec += step_s;
	return r;
}

/* libev reads the clock by this one. */
int gettimeofday(struct timeval *ret, void *zone)
{
	int r = (int)syscall(SYS_gettimeofday, ret, zone);

	if (r == 0)
		ret->tv_sec += step_s;
	return r;
}

enum { RATE = 1024 * 1024 };

static void begin(struct site **ret_s, struct client *ret_c)
{
	struct site *s = site_new();
	const int small = 16384; /* so that the answer waits in the server */

	s->cfg.answer_timeout_ms = 10000;
	s->cfg.answer_rate_min = RATE;
	s->large = xcalloc(1, SITE_LARGE);
	site_listen(s);
	*ret_c = site_visit(s);
	(void)setsockopt(ret_c->fd, SOL_SOCKET, SO_RCVBUF, &small,
			 sizeof small);
	cr_assert(client_say(ret_c, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive_for(s->loop, 20);
	*ret_s = s;
}

static void reads_all_after_a_step(time_t seconds)
{
	struct client c;
	struct site *s;

	begin(&s, &c);
	step_s = seconds;
	cr_assert_lt(labs((long)(ev_time() - (double)time(NULL)) - seconds),
		     60, "libev does not see the step");
	/* libev reads the clock twice a second */
	drive_for(s->loop, 600);
	/* a reader with pauses, which is fast enough */
	for (size_t n = SITE_LARGE / 8; n < SITE_LARGE; n += SITE_LARGE / 8) {
		(void)client_want(&c, n);
		drive_for(s->loop, 20);
	}
	cr_assert(client_want(&c, SITE_LARGE), "%zu bytes after a step of "
		  "%ld s", buf_len(&c.in), (long)seconds);
	client_close(&c);
	site_close(s);
}

Test(http_clock, an_hour_forward_cuts_no_answer)
{
	reads_all_after_a_step(3600);
}

Test(http_clock, an_hour_back_cuts_no_answer)
{
	reads_all_after_a_step(-3600);
}

Test(http_clock, an_hour_back_lets_no_slow_reader_stay)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.answer_timeout_ms = 800;
	s->cfg.answer_rate_min = 64 * RATE;
	s->large = xcalloc(1, SITE_LARGE);
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive_for(s->loop, 20);
	step_s = -3600;
	for (unsigned i = 0; i < 150; i++) {
		static char text[16384];

		(void)recv(c.fd, text, sizeof text, MSG_DONTWAIT);
		drive_for(s->loop, 10);
	}
	(void)client_want(&c, SITE_LARGE);
	cr_assert_lt(buf_len(&c.in), SITE_LARGE);
	client_close(&c);
	site_close(s);
}
