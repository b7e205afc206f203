/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exports of the guide to files, on a disk that answers when a test wants. */
#include "master/streams/epg_exports.h"

#include "common/base/mono.h"
#include "common/base/util.h"
#include "master/streams/epg_docs.h"
#include "master/streams/epg_file.h"
#include "master/streams/epg_proc.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <string.h>

static struct {
	struct msg_epg_status status;
	uint64_t skew_ms;
	unsigned n; /* writes */
	epg_file_written_fn *written;
	void *arg;
} fake;

uint64_t __real_mono_ms(void);
uint64_t __wrap_mono_ms(void);

uint64_t __wrap_mono_ms(void)
{
	return __real_mono_ms() + fake.skew_ms;
}

bool epg_proc_is_on(const struct epg_proc *p)
{
	(void)p;
	return true;
}

const struct msg_epg_status *epg_proc_status(const struct epg_proc *p)
{
	(void)p;
	return &fake.status;
}

int epg_proc_post(struct epg_proc *p, const struct msg_epg_post *m, int fd,
		  epg_done_fn *done, void *arg)
{
	(void)p, (void)m, (void)fd, (void)done, (void)arg;
	cr_expect_fail("there is no server");
	return 0;
}

struct epg_doc_wait *epg_docs_get(struct epg_docs *d, struct buf *text,
				  struct epg_doc_kind kind, epg_done_fn *done,
				  void *arg)
{
	(void)d;
	cr_expect(kind.export);
	buf_done(text);
	done(&(struct epg_answer){ .fd = 0, .len = 5, .error = "" }, arg);
	return NULL;
}

void epg_doc_wait_cancel(struct epg_doc_wait *wait)
{
	(void)wait;
}

struct epg_file *epg_file_new_public(struct ev_loop *loop, const char *path)
{
	(void)loop;
	cr_expect_str_eq(path, "/x/tv.xml");
	return (struct epg_file *)&fake;
}

void epg_file_free(struct epg_file **f)
{
	*f = NULL;
}

void epg_file_write(struct epg_file *f, int fd, size_t len,
		    epg_file_written_fn *written, void *arg)
{
	(void)f, (void)fd, (void)len;
	fake.n++;
	fake.written = written;
	fake.arg = arg;
}

static json_t *no_channels(void *arg)
{
	(void)arg;
	return json_array();
}

static const char *error_of(struct epg_exports *x)
{
	bool known;
	const char *error = epg_exports_error(x, 0, &known);

	cr_expect(known);
	return error != NULL ? error : "";
}

/* Lets the loop look at the exports, which it does once a second. */
static void look(struct ev_loop *loop)
{
	uint64_t end_ms = __real_mono_ms() + 2500;

	while (__real_mono_ms() < end_ms)
		ev_run(loop, EVRUN_ONCE);
}

Test(epg_exports, a_disk_that_does_not_answer_is_an_error_until_it_does)
{
	static const struct errmsg none;
	json_t *settings = json_pack("{s:[s]}", "epg_export",
				     "file:///x/tv.xml#interval=1");
	struct ev_loop *loop = ev_loop_new(0);
	struct epg_exports *x;

	fake.status = (struct msg_epg_status){ .loaded = true, .events = 1 };
	x = epg_exports_new(&(struct epg_exports_config){
		.loop = loop, .settings = settings, .channels = no_channels });
	look(loop);
	cr_assert_eq(fake.n, 1);
	cr_expect_str_eq(error_of(x), "");
	fake.skew_ms = 61000;
	look(loop);
	cr_expect_str_eq(error_of(x),
			 "epg_export[0]: the disk does not answer");
	cr_expect_eq(fake.n, 1, "it waits");
	fake.written(0, &none, fake.arg);
	cr_expect_str_eq(error_of(x), "");
	fake.skew_ms += 2000;
	look(loop);
	cr_expect_eq(fake.n, 2);
	epg_exports_free(&x);
	ev_loop_destroy(loop);
	json_decref(settings);
}
