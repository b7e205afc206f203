/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures are asked for once and shared; the connections are false ones. */
#include "worker/deliver/pictures.h"

#include "common/base/mono.h"
#include "common/base/shared.h"
#include "worker/deliver/viewer_conn.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t now_ms = 1000;
static const char *if_none_match;
static struct answer {
	unsigned n;
	int status;
	char body[64], headers[256];
	size_t len;
} last;
static struct sent {
	unsigned n;
	uint32_t seq;
	char stream[32];
	int result;
} sent;

uint64_t mono_ms(void)
{
	return now_ms;
}

const char *http_request_header(const struct http_request *r, const char *name)
{
	(void)r, (void)name;
	return if_none_match;
}

void viewer_conn_answer(struct viewer_conn *c, const struct viewer_answer *a)
{
	(void)c;
	last.n++;
	last.status = a->status;
	last.len = a->len;
	(void)snprintf(last.body, sizeof last.body, "%.*s",
		       (int)(a->len < 63 ? a->len : 63),
		       (const char *)a->body);
	(void)snprintf(last.headers, sizeof last.headers, "%s", a->headers);
}

static int send_message(const struct msg *m, void *arg)
{
	(void)arg;
	sent.n++;
	sent.seq = m->seq;
	(void)snprintf(sent.stream, sizeof sent.stream, "%s",
		       m->deliver_look.stream);
	return sent.result;
}

static struct pictures *begin(void)
{
	now_ms = 1000;
	if_none_match = NULL;
	last = (struct answer){ 0 };
	sent = (struct sent){ 0 };
	return pictures_new(send_message, NULL);
}

static void take(struct pictures *p, uint32_t seq, const char *picture)
{
	int fd = shared_create("picture", PICTURE_SIZE_MAX);

	cr_assert_geq(fd, 0);
	cr_assert_gt(pwrite(fd, picture, strlen(picture), 0), 0);
	pictures_take(p, &(struct msg_picture_result){
		.len = (uint32_t)strlen(picture), .error = "" }, seq, fd);
}

Test(pictures, a_path_ends_in_jpg)
{
	char stream[32];

	cr_assert(picture_path("/play/a001.jpg", stream, sizeof stream));
	cr_expect_str_eq(stream, "/play/a001");
	cr_expect_not(picture_path("/play/a001", stream, sizeof stream));
	cr_expect_not(picture_path(".jpg", stream, sizeof stream));
	cr_expect_not(picture_path("/play/a001.jpg", stream, 10));
}

Test(pictures, all_who_wait_get_the_answer_to_one_question)
{
	struct pictures *p = begin();
	static struct viewer_conn c[3];

	pictures_answer(p, &c[0], "a");
	pictures_answer(p, &c[1], "a");
	pictures_answer(p, &c[2], "a");
	cr_expect_eq(sent.n, 1);
	cr_expect_str_eq(sent.stream, "a");
	pictures_forget(&c[2]);
	take(p, sent.seq + 7, "of another");
	cr_expect_eq(last.n, 0);
	take(p, sent.seq, "picture");
	cr_expect_eq(last.n, 2);
	cr_expect_eq(last.status, 200);
	cr_expect_str_eq(last.body, "picture");
	cr_expect(strstr(last.headers, "max-age=5\r\n"));
	/* it is shared while it is fresh */
	now_ms += PICTURE_FRESH_MS - 1;
	pictures_answer(p, &c[0], "a");
	cr_expect_eq(last.n, 3);
	cr_expect(strstr(last.headers, "max-age=1\r\n"));
	if_none_match = strchr(strstr(last.headers, "ETag: "), '"');
	pictures_answer(p, &c[0], "a");
	cr_expect_eq(last.status, 304);
	cr_expect_eq(sent.n, 1);
	now_ms++;
	pictures_answer(p, &c[0], "a");
	cr_expect_eq(sent.n, 2);
	pictures_forget(&c[0]);
	pictures_free(&p);
	cr_assert_null(p);
}

Test(pictures, an_error_is_shared_and_forgotten)
{
	struct pictures *p = begin();
	static struct viewer_conn c;

	pictures_answer(p, &c, "a");
	pictures_take(p, &(struct msg_picture_result){
		.absent = true, .error = "the stream has no video" },
		sent.seq, -1);
	cr_expect_eq(last.status, 404);
	cr_expect_str_eq(last.body, "the stream has no video\n");
	pictures_answer(p, &c, "a");
	cr_expect_eq(last.n, 2);
	cr_expect_eq(sent.n, 1);
	now_ms += PICTURE_FRESH_MS;
	pictures_answer(p, &c, "a");
	pictures_take(p, &(struct msg_picture_result){
		.error = "no picture has arrived yet" }, sent.seq, -1);
	cr_expect_eq(last.status, 503);
	cr_expect(strstr(last.headers, "Retry-After: "));
	/* a length without memory */
	now_ms += PICTURE_FRESH_MS;
	pictures_answer(p, &c, "a");
	pictures_take(p, &(struct msg_picture_result){
		.len = 7, .error = "" }, sent.seq, -1);
	cr_expect_eq(last.status, 503);
	pictures_free(&p);
}

Test(pictures, without_a_master_the_wait_ends)
{
	struct pictures *p = begin();
	static struct viewer_conn c;

	sent.result = -EPIPE;
	pictures_answer(p, &c, "a");
	cr_expect_eq(last.status, 503);
	sent.result = 0;
	pictures_answer(p, &c, "a");
	cr_expect_eq(last.n, 1);
	/* the next master is asked again */
	pictures_renew(p);
	cr_expect_eq(sent.n, 3);
	now_ms += PICTURE_WAIT_MS - 1;
	pictures_every_second(p);
	cr_expect_eq(last.n, 1);
	now_ms++;
	pictures_every_second(p);
	cr_expect_eq(last.n, 2);
	cr_expect_eq(last.status, 503);
	pictures_free(&p);
}

Test(pictures, their_number_is_bounded)
{
	struct pictures *p = begin();
	static struct viewer_conn c[PICTURES_MAX + 1];
	char stream[16];

	for (unsigned i = 0; i < PICTURES_MAX; i++) {
		(void)snprintf(stream, sizeof stream, "s%u", i);
		pictures_answer(p, &c[i], stream);
	}
	cr_expect_eq(sent.n, PICTURES_MAX);
	pictures_answer(p, &c[PICTURES_MAX], "more");
	cr_expect_eq(last.status, 503);
	/* one that is there has its place until another needs it */
	take(p, 1, "first");
	pictures_answer(p, &c[PICTURES_MAX], "more");
	cr_expect_eq(sent.n, PICTURES_MAX + 1);
	pictures_answer(p, &c[0], "s0");
	cr_expect_eq(last.status, 503);
	for (unsigned i = 0; i <= PICTURES_MAX; i++)
		pictures_forget(&c[i]);
	pictures_free(&p);
}
