/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/t2mi_source.h"

#include "common/base/units.h"
#include "tests/unit/worker/t2mi/t2mi_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { PACKETS = 40, PID = 500, PLP = 4 };

static uint8_t packets[PACKETS][TS_PACKET];
static struct t2mi_maker maker;
static uint8_t got[2 * PACKETS][TS_PACKET];
static size_t n_got;
static struct ts_run next; /* of the inner source */
static struct source inner, *source;
static struct batch batch;
static struct source_report report;
static unsigned tunes, calls;
static bool refuses;
static const char *inner_error;

static void inner_free(struct source *s)
{
	cr_assert_eq(s, &inner);
	calls++;
}

static int inner_read(struct source *s, struct batch *b, uint64_t now)
{
	(void)s, (void)now;
	if (next.n == 0)
		return 0;
	batch_add(b, next);
	batch_flush(b);
	next.n = 0;
	return 1;
}

static void inner_second(struct source *s, uint64_t now,
			 struct source_report *ret)
{
	(void)s, (void)now;
	ret->lock = true;
	ret->tunes = tunes;
	ret->error = inner_error;
}

static bool inner_retune(struct source *s, const json_t *adapter)
{
	(void)s, (void)adapter;
	return !refuses;
}

static const struct source_ops inner_ops = {
	.free = inner_free, .read = inner_read, .every_second = inner_second,
	.retune = inner_retune,
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++, n_got++) {
			cr_assert_lt(n_got, ARRAY_LEN(got));
			memcpy(got[n_got], runs[i].data + k * TS_PACKET,
			       TS_PACKET);
		}
}

static json_t *keys(const char *text)
{
	json_t *adapter = json_loads(text, 0, NULL);

	cr_assert_not_null(adapter);
	return adapter;
}

static void start(const char *text)
{
	json_t *adapter = keys(text);

	for (size_t i = 0; i < PACKETS; i++) {
		packets[i][0] = TS_SYNC_BYTE;
		packets[i][1] = 1;
		packets[i][3] = 0x10;
		packets[i][4] = (uint8_t)i;
	}
	inner.ops = &inner_ops;
	batch_init(&batch, take, NULL);
	source = t2mi_source_new(adapter, &inner);
	json_decref(adapter);
}

static void carry(uint8_t plp)
{
	maker = (struct t2mi_maker){ .pid = PID, .plp = plp, .field = 700 };
	t2mi_maker_add(&maker, (const uint8_t (*)[TS_PACKET])packets, PACKETS);
	t2mi_maker_end(&maker);
	next = (struct ts_run){ .data = maker.packets[0], .n = maker.n };
	n_got = 0;
	(void)source->ops->read(source, &batch, 0);
}

static const char *second(void)
{
	report = (struct source_report){ 0 };
	source->ops->every_second(source, 0, &report);
	return report.error != NULL ? report.error : "";
}

static bool retune(const char *text)
{
	json_t *adapter = keys(text);
	bool r = source->ops->retune(source, adapter);

	json_decref(adapter);
	return r;
}

static void expect_plp(void)
{
	cr_assert_geq(n_got, PACKETS - 8u);
	cr_assert_eq(memcmp(got, packets, n_got * TS_PACKET), 0);
}

Test(t2mi_source, the_packets_of_the_plp_come_out)
{
	start("{\"t2mi\":true,\"t2mi_pid\":500,\"plp\":4}");
	carry(PLP);
	expect_plp();
	cr_assert_str_eq(second(), "");
	source->ops->free(source);
	cr_assert_eq(calls, 1u);
}

Test(t2mi_source, without_the_key_all_packets_pass)
{
	start("{\"t2mi\":false,\"t2mi_pid\":500}");
	next = (struct ts_run){ .data = packets[0], .n = PACKETS };
	cr_assert_eq(source->ops->read(source, &batch, 0), 1);
	cr_assert_eq(n_got, (size_t)PACKETS);
	cr_assert_str_eq(second(), "");
	source->ops->free(source);
}

Test(t2mi_source, says_why_nothing_comes_out)
{
	static const char wrong[] = "t2mi: PLP 7 is not there; there are: 4";

	start("{\"t2mi\":true,\"t2mi_pid\":500,\"plp\":7}");
	/* nothing is received: the source knows why */
	cr_assert_str_eq(second(), "");
	carry(PLP);
	cr_assert_str_eq(second(), wrong);
	report = (struct source_report){ 0 };
	source->ops->look(source, &report);
	cr_assert_str_eq(report.error, wrong);
	carry(PLP);
	inner_error = "no lock";
	cr_assert_str_eq(second(), "no lock");
	source->ops->free(source);
}

Test(t2mi_source, another_tuning_may_have_other_keys)
{
	start("{}");
	cr_assert(retune("{\"t2mi\":true,\"t2mi_pid\":500,\"plp\":4}"));
	carry(PLP);
	expect_plp();
	cr_assert(retune("{\"t2mi\":true,\"t2mi_pid\":500,\"plp\":5}"));
	carry(5);
	expect_plp();
	refuses = true;
	cr_assert(!retune("{}"));
	carry(5);
	expect_plp();
	source->ops->free(source);
}

/* The first PLP is that of the first frame, of each tuning. */
Test(t2mi_source, a_tuning_begins_anew)
{
	start("{\"t2mi\":true,\"t2mi_pid\":500}");
	carry(PLP);
	expect_plp();
	tunes++;
	(void)second();
	carry(9);
	expect_plp();
	source->ops->free(source);
}

static char linked[64];
static bool chosen;

static bool inner_link(struct source *s, const char *stream, int fd)
{
	cr_assert_eq(s, &inner);
	(void)snprintf(linked, sizeof linked, "%s=%d", stream, fd);
	return true;
}

static void inner_rename(struct source *s, const char *from, const char *to)
{
	cr_assert_eq(s, &inner);
	(void)snprintf(linked, sizeof linked, "%s>%s", from, to);
}

static void inner_choose(struct source *s,
			 const struct msg_adapter_programs *programs)
{
	cr_assert_eq(s, &inner);
	chosen = programs != NULL;
}

Test(t2mi_source, what_it_lacks_is_that_of_the_inner_source)
{
	static const struct source_ops ops = {
		.free = inner_free, .link = inner_link,
		.rename = inner_rename, .choose = inner_choose,
	};

	start("{}");
	inner.ops = &ops;
	cr_assert(source_link(source, "news", 9));
	cr_assert_str_eq(linked, "news=9");
	source_rename(source, "news", "sport");
	cr_assert_str_eq(linked, "news>sport");
	source_choose(source, &(struct msg_adapter_programs){ 0 });
	cr_assert(chosen);
	source->ops->free(source);
}

Test(t2mi_source, what_none_has_is_refused)
{
	static const struct source_ops ops = { .free = inner_free };
	json_t *adapter = keys("{}");

	start("{}");
	inner.ops = &ops;
	/* its own look is that of a source which has none */
	cr_assert(!source_looks(source));
	cr_assert(!source_looks(&inner));
	cr_assert(!source_link(source, "news", 9));
	cr_assert(!source_retune(source, adapter));
	source_rename(source, "news", "sport");
	source_choose(source, &(struct msg_adapter_programs){ 0 });
	json_decref(adapter);
	source->ops->free(source);
}
