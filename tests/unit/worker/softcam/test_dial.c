/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lookups of a dial, with a resolver that answers when the test says so. */
#include "worker/softcam/dial.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <netdb.h>
#include <stdbool.h>

enum { LOOKUPS_MAX = 64 };

static struct gaicb *requests[LOOKUPS_MAX];
static bool is_over[LOOKUPS_MAX];
static size_t n_requests;
static size_t n_judged; /* since the last dial */

/* In place of those of the C library. */
int getaddrinfo_a(int mode, struct gaicb *list[], int n, struct sigevent *e)
{
	(void)mode, (void)e;
	cr_assert_eq(n, 1);
	cr_assert_lt(n_requests, LOOKUPS_MAX);
	requests[n_requests++] = list[0];
	return 0;
}

static bool has_ended(const struct gaicb *request)
{
	size_t i = 0;

	while (i < n_requests && requests[i] != request)
		i++;
	cr_assert_lt(i, n_requests, "a lookup was used after its end");
	n_judged++;
	return is_over[i];
}

int gai_error(struct gaicb *request)
{
	return has_ended(request) ? EAI_NONAME : EAI_INPROGRESS;
}

int gai_cancel(struct gaicb *request)
{
	return has_ended(request) ? EAI_ALLDONE : EAI_NOTCANCELED;
}

static void ignore(int fd, void *arg)
{
	(void)fd, (void)arg;
}

static void dial_once(struct ev_loop *loop, struct dial_lookup **lookups)
{
	struct dial *d;

	n_judged = 0;
	d = dial_new(&(struct dial_config){
		.loop = loop, .host = "cam.example", .port = 10000,
		.timeout_ms = 1000, .lookups = lookups, .on_done = ignore,
	});
	dial_free(&d);
}

Test(dial, a_lookup_that_outlives_its_dial_is_freed_at_a_later_one)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct dial_lookup *lookups = NULL;

	for (unsigned i = 0; i < 10; i++)
		dial_once(loop, &lookups);
	cr_assert_not_null(lookups);
	cr_assert_gt(n_judged, 10);
	/* all but the fourth */
	for (size_t i = 0; i < LOOKUPS_MAX; i++)
		is_over[i] = i != 3;
	dial_once(loop, &lookups);
	cr_assert_not_null(lookups);
	dial_once(loop, &lookups);
	cr_assert_leq(n_judged, 5);
	is_over[3] = true;
	dial_once(loop, &lookups);
	cr_assert_null(lookups);
	ev_loop_destroy(loop);
}
