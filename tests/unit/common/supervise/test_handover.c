/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/handover.h"

#include "proto/ipc/msg.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As after exec: open, and inherited. */
static int inherited(void)
{
	int fd = open("/dev/null", O_RDONLY);

	cr_assert_geq(fd, 0);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static struct handover *parse(const char *text, struct errmsg *why)
{
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	cr_assert_not_null(document, "%s", text);
	return handover_of(document, why);
}

static void refuse(const char *text, const char *reason)
{
	struct errmsg why = { 0 };
	struct handover *h = parse(text, &why);

	cr_assert_null(h, "%s", text);
	cr_assert_not_null(strstr(why.text, reason), "%s: %s", text, why.text);
}

Test(handover, a_written_document_can_be_adopted)
{
	uint64_t last = 41, kept = 7, fresh = 0, number;
	struct handover *h = handover_new(&last);
	int a = inherited(), b = inherited();
	struct errmsg why = { 0 };
	json_t *first, *second;
	size_t len;
	char *text;

	first = handover_put(h, 'c', &kept, a);
	second = handover_put(h, 'p', &fresh, b);
	cr_assert_str_eq(json_string_value(first), "c7");
	cr_assert_str_eq(json_string_value(second), "p42");
	cr_assert_eq(fresh, 42);
	cr_assert_eq(last, 42);
	(void)json_object_set(handover_document(h), "mine", second);
	text = handover_format(h, true, &len);
	handover_free(&h);
	cr_assert(is_open(a));

	cr_assert_eq(strlen(text), len);
	h = parse(text, &why);
	cr_assert_not_null(h, "%s", why.text);
	free(text);
	cr_assert_eq(handover_last_number(h), 42);
	cr_assert(handover_is_of_our_protocol(h));
	cr_assert(fcntl(a, F_GETFD) & FD_CLOEXEC);
	/* of another kind, then of its own, then no more */
	cr_assert_eq(handover_take(h, first, 'p', &number), -1);
	cr_assert_eq(handover_take(h, first, 'c', &number), a);
	cr_assert_eq(number, 7);
	cr_assert_eq(handover_take(h, first, 'c', &number), -1);
	cr_assert_eq(handover_take_any(h, 'c', &number), -1);
	handover_free(&h);
	cr_assert(is_open(a), "taken");
	cr_assert_not(is_open(b), "left");
	json_decref(first);
	json_decref(second);
	(void)close(a);
}

Test(handover, an_invalid_document_is_rejected)
{
	char text[128];
	int fd = inherited();

	refuse("[]", "fds");
	refuse("{}", "fds");
	refuse("{\"handover\":1,\"fds\":[]}", "fds");
	refuse("{\"fds\":{\"c1\":2}}", "not a descriptor");
	refuse("{\"fds\":{\"c1\":-1}}", "not a descriptor");
	refuse("{\"fds\":{\"c1\":4294967299}}", "not a descriptor");
	refuse("{\"fds\":{\"c1\":\"5\"}}", "not a descriptor");
	refuse("{\"fds\":{\"c1\":5.0}}", "not a descriptor");
	refuse("{\"fds\":{\"c1\":99999}}", "not open");
	refuse("{\"fds\":{\"\":5}}", "not a name");
	refuse("{\"fds\":{\"c\":5}}", "not a name");
	refuse("{\"fds\":{\"7\":5}}", "not a name");
	refuse("{\"fds\":{\"c1x\":5}}", "not a name");
	refuse("{\"fds\":{\"c1234567890123456789\":5}}", "not a name");
	(void)snprintf(text, sizeof text, "{\"fds\":{\"c1\":%d,\"c2\":%d}}",
		       fd, fd);
	refuse(text, "named twice");
}

Test(handover, of_another_version_only_the_descriptors_are_used)
{
	struct errmsg why = { 0 };
	struct handover *h;
	char text[128];
	uint64_t number;
	int fd = inherited();

	(void)snprintf(text, sizeof text,
		       "{\"handover\":%d,\"proto\":%d,\"streams\":[],"
		       "\"fds\":{\"p3\":%d}}",
		       HANDOVER_VERSION + 1, MSG_PROTO_VERSION, fd);
	h = parse(text, &why);
	cr_assert_not_null(h, "%s", why.text);
	cr_assert_null(json_object_get(handover_document(h), "streams"));
	cr_assert_not(handover_is_of_our_protocol(h));
	cr_assert_eq(handover_take_any(h, 'p', &number), fd);
	cr_assert_eq(number, 3);
	handover_free(&h);
	(void)close(fd);
}
