/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The documents of the guide, with a worker that answers when a test wants. */
#include "master/streams/epg_docs.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/shared.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The worker, and the question that it has. */
static struct {
	struct msg_epg_status status;
	int error; /* of the next question */
	unsigned asked;
	char channels[64];
	unsigned form;
	epg_done_fn *done;
	void *arg;
	uint64_t now_ms;
} fake;

uint64_t __wrap_mono_ms(void);

uint64_t __wrap_mono_ms(void)
{
	return fake.now_ms;
}

const struct msg_epg_status *epg_proc_status(const struct epg_proc *p)
{
	(void)p;
	return &fake.status;
}

int epg_proc_write_xmltv(struct epg_proc *p, int channels, unsigned form,
			 epg_done_fn *done, void *arg)
{
	ssize_t n = pread(channels, fake.channels, sizeof fake.channels - 1, 0);

	(void)p;
	cr_assert_geq(n, 0);
	if (fake.error < 0)
		return fake.error;
	fake.channels[n] = '\0';
	fake.form = form;
	fake.done = done;
	fake.arg = arg;
	fake.asked++;
	return 0;
}

/* len 0: an error. */
static void reply(size_t len)
{
	int fd = shared_create("test", 10);

	fake.done(&(struct epg_answer){ .fd = fd, .len = len, .hash = 7,
					.error = len > 0 ? "" : "an error" },
		  fake.arg);
	fd_close(&fd);
}

enum { EXPORT = 1 << 8 /* beside enum epg_form */ };

struct asked {
	unsigned done;
	size_t len;
	ino_t memory; /* tells two memories apart */
	char error[64];
};

/* What the receiver of the next answer asks for; docs NULL: nothing. */
static struct {
	struct epg_docs *docs;
	const char *channels;
	struct asked *asked;
} nested;

static struct epg_doc_wait *get(struct epg_docs *docs, const char *channels,
				unsigned form, struct asked *a);

static void on_done(const struct epg_answer *answer, void *arg)
{
	struct asked *a = arg;
	struct stat st = { 0 };

	if (answer->len > 0) {
		cr_assert_eq(fstat(answer->fd, &st), 0);
		cr_expect_eq(fcntl(answer->fd, F_GETFD), FD_CLOEXEC);
	}
	*a = (struct asked){ a->done + 1, answer->len, st.st_ino, "" };
	(void)snprintf(a->error, sizeof a->error, "%s", answer->error);
	if (nested.docs != NULL) {
		struct epg_docs *docs = nested.docs;

		nested.docs = NULL;
		(void)get(docs, nested.channels, false, nested.asked);
	}
}

static struct epg_doc_wait *get(struct epg_docs *docs, const char *channels,
				unsigned form, struct asked *a)
{
	struct buf text = { 0 };

	*a = (struct asked){ 0 };
	buf_append(&text, channels, strlen(channels));
	return epg_docs_get(docs, &text, (struct epg_doc_kind){
		.form = form & EPG_FORM_GZIP, .export = form & EXPORT },
		on_done, a);
}

Test(epg_docs, the_same_channels_share_a_document)
{
	struct epg_docs *docs = epg_docs_new(NULL);
	struct asked first, second, zip;

	cr_expect_not_null(get(docs, "a", false, &first));
	cr_expect_not_null(get(docs, "a", false, &second));
	cr_expect_not_null(get(docs, "a", true, &zip));
	cr_expect_eq(fake.asked, 1);
	cr_expect_str_eq(fake.channels, "a");
	reply(5);
	cr_expect_eq(first.done, 1);
	cr_expect_eq(first.memory, second.memory);
	cr_expect_eq(zip.done, 0);
	cr_expect(fake.form);
	reply(4);
	cr_expect_eq(zip.len, 4);
	cr_expect_neq(zip.memory, first.memory);
	/* of other viewers */
	cr_expect_not_null(get(docs, "b", false, &zip));
	cr_expect_eq(fake.asked, 3);
	reply(5);
	cr_expect_null(get(docs, "a", false, &second), "it is kept");
	cr_expect_eq(second.memory, first.memory);
	epg_docs_free(&docs);
}

Test(epg_docs, a_document_is_kept_longer_if_the_guide_does_not_change)
{
	struct epg_docs *docs = epg_docs_new(NULL);
	struct asked a;

	(void)get(docs, "a", false, &a);
	reply(5);
	fake.now_ms = 1000 * EPG_DOC_FRESH_S - 1;
	fake.status.changes = 1;
	cr_expect_null(get(docs, "a", false, &a));
	fake.now_ms++;
	cr_expect_not_null(get(docs, "a", false, &a));
	reply(5);
	fake.now_ms += 1000 * EPG_DOC_AGE_S - 1;
	cr_expect_null(get(docs, "a", false, &a));
	fake.now_ms++;
	cr_expect_not_null(get(docs, "a", false, &a));
	reply(5);
	epg_docs_free(&docs);
}

Test(epg_docs, a_document_for_which_nothing_waits_is_not_written)
{
	struct epg_docs *docs = epg_docs_new(NULL);
	struct asked a, b, c;
	struct epg_doc_wait *first = get(docs, "a", false, &a);

	epg_doc_wait_cancel(get(docs, "b", false, &b));
	cr_expect_not_null(get(docs, "c", false, &c));
	epg_doc_wait_cancel(first);
	reply(5);
	cr_expect_str_eq(fake.channels, "c");
	reply(5);
	cr_expect_eq(a.done + b.done, 0);
	cr_expect_eq(c.done, 1);
	epg_docs_free(&docs);
}

Test(epg_docs, an_error_is_answered_and_not_kept)
{
	struct epg_docs *docs = epg_docs_new(NULL);
	struct asked a, b;

	fake.error = -EBUSY;
	cr_expect_null(get(docs, "a", false, &a));
	cr_expect_str_eq(a.error, "the process of the programme guide does "
			       "not answer");
	fake.error = 0;
	cr_expect_not_null(get(docs, "a", false, &a));
	cr_expect_not_null(get(docs, "b", false, &b));
	fake.error = -EBUSY;
	reply(0);
	cr_expect_str_eq(a.error, "an error");
	cr_expect_str_eq(b.error, "the process of the programme guide does "
			       "not answer");
	fake.error = 0;
	cr_expect_not_null(get(docs, "a", false, &a));
	reply(5);
	epg_docs_free(&docs);
}

Test(epg_docs, a_receiver_may_ask_for_one_that_waits)
{
	struct epg_docs *docs = epg_docs_new(NULL);
	struct asked a, b, again;

	cr_expect_not_null(get(docs, "a", false, &a));
	cr_expect_not_null(get(docs, "b", false, &b));
	nested.docs = docs;
	nested.channels = "b";
	nested.asked = &again;
	fake.error = -EBUSY;
	reply(5);
	cr_expect_eq(a.len, 5);
	cr_expect_eq(b.done, 1);
	cr_expect_str_eq(b.error, "the process of the programme guide does "
			       "not answer");
	cr_expect_eq(again.done, 1);
	epg_docs_free(&docs);
}

Test(epg_docs, documents_that_wait_or_are_kept_are_bounded)
{
	struct asked asked[EPG_DOC_WANTS_MAX + 1];
	struct epg_docs *docs = epg_docs_new(NULL);
	char channels[] = "a";

	for (size_t i = 0; i <= EPG_DOC_WANTS_MAX; i++) {
		channels[0] = (char)('a' + i);
		cr_expect_eq(get(docs, channels, false, &asked[i]) != NULL,
			     i < EPG_DOC_WANTS_MAX);
	}
	cr_expect_str_eq(asked[EPG_DOC_WANTS_MAX].error,
			 "too many documents are being written");
	for (size_t i = 0; i < EPG_DOC_WANTS_MAX; i++)
		reply(5);
	/* the newest ones */
	for (size_t i = 0; i < EPG_DOC_WANTS_MAX; i++) {
		bool kept = i >= EPG_DOC_WANTS_MAX - EPG_DOCS_MAX;

		cr_expect_eq(asked[i].len, 5);
		channels[0] = (char)('a' + i);
		if (kept)
			cr_expect_null(get(docs, channels, false, &asked[i]));
	}
	channels[0] = 'a';
	cr_expect_not_null(get(docs, channels, false, &asked[0]));
	/* too large to be kept */
	reply((size_t)EPG_DOCS_BYTES_MAX + 1);
	cr_expect_not_null(get(docs, channels, false, &asked[0]));
	reply(5);
	epg_docs_free(&docs);
}

Test(epg_docs, exports_have_places_beside_viewers)
{
	struct asked asked[EPG_DOC_WANTS_MAX], export;
	struct epg_docs *docs = epg_docs_new(NULL);
	char channels[] = "a";

	for (size_t i = 0; i < EPG_DOC_WANTS_MAX; i++) {
		channels[0] = (char)('a' + i);
		cr_assert_not_null(get(docs, channels, 0, &asked[i]));
	}
	cr_expect_not_null(get(docs, "export", EXPORT, &export));
	reply(5);
	/* it takes no place of a viewer */
	cr_expect_not_null(get(docs, "another", 0, &asked[0]));
	for (size_t i = 0; i < EPG_DOC_WANTS_MAX; i++)
		reply(5);
	cr_expect_eq(export.len, 5);
	reply(5);
	cr_expect_eq(asked[0].len, 5);
	epg_docs_free(&docs);
}
