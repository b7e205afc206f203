/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Real captures, whole: every valid section becomes a record without an error,
 * whose descriptors all have names except private ones, whose text is text, and
 * which gives the same bytes again.  The captures are beside the project;
 * without them the test is skipped.
 */
#include "common/base/alloc.h"
#include "proto/si/record.h"
#include "worker/si/collect.h"
#include "worker/ts/sync.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MAX = 4 << 20 };

struct tally {
	const char *path;
	unsigned records, texts;
	unsigned raw; /* records whose fields do not give the section */
	unsigned of_table[256];
};

static void judge_text(struct tally *t, const char *key, const char *text)
{
	static const char *const names[] = {
		/* those of events are compressed by some networks */
		"network_name", "service_name", "service_provider",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(key, names[i]) != 0)
			continue;
		cr_expect_null(strstr(text, "\ufffd"), "%s: %s: %s", t->path,
			       key, text);
		t->texts += text[0] != '\0';
	}
}

static void judge(struct tally *t, const json_t *value);

static void judge_object(struct tally *t, const json_t *object)
{
	json_int_t id = json_integer_value(json_object_get(object, "type_id"));
	const char *name = json_string_value(json_object_get(object,
							     "type_name"));
	const char *key;
	json_t *value;

	cr_expect(json_object_get(object, "error") == NULL, "%s", t->path);
	if (name != NULL && json_object_get(object, "pid") == NULL)
		cr_expect(strcmp(name, "broken") != 0 &&
			  (id >= 0x80 || strcmp(name, "unknown") != 0),
			  "%s: %lld is %s", t->path, (long long)id, name);
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_string(value))
			judge_text(t, key, json_string_value(value));
		else
			judge(t, value);
	}
}

static void judge(struct tally *t, const json_t *value)
{
	size_t i;
	json_t *item;

	if (json_is_object(value))
		judge_object(t, value);
	json_array_foreach((json_t *)value, i, item)
		judge(t, item);
}

static bool on_section(const uint8_t *section, size_t len, uint16_t pid,
		       void *arg)
{
	struct tally *t = arg;
	json_t *record = si_record(section, len, pid);

	uint8_t again[SI_RECORD_BYTES];
	struct errmsg error = { "" };
	size_t n = 0;

	cr_assert(record, "%s: table %02x", t->path, section[0]);
	cr_assert_eq(si_record_encode(record, again, &n, &error), 0, "%s: %s",
		     t->path, error.text);
	cr_assert_eq(n, len, "%s: table %02x", t->path, section[0]);
	cr_assert_arr_eq(again, section, len, "%s: table %02x", t->path,
			 section[0]);
	t->raw += json_object_get(record, "raw") != NULL;
	t->records++;
	t->of_table[section[0]]++;
	judge(t, record);
	json_decref(record);
	return true;
}

static void read_sample(struct tally *t)
{
	uint8_t *data = xcalloc(1, SAMPLE_MAX);
	struct collect *c = collect_new(on_section, t);
	FILE *f = fopen(t->path, "rb");
	struct ts_sync sync;
	struct ts_run run;
	size_t len;

	cr_assert(f, "%s", t->path);
	len = fread(data, 1, SAMPLE_MAX, f);
	(void)fclose(f);
	ts_sync_init(&sync, TS_SYNC_STREAM);
	ts_sync_push(&sync, data, len);
	while (ts_sync_pull(&sync, &run))
		collect_feed(c, run);
	collect_free(&c);
	free(data);
}

Test(samples, become_records_without_an_error_and_sections_again)
{
	const char *srcdir = getenv("srcdir");
	char *pattern = xasprintf("%s/../shared/data/ts/*.ts",
				  srcdir != NULL ? srcdir : ".");
	struct tally t = { 0 };
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		cr_skip("no captures at %s", pattern);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		t.path = found.gl_pathv[i];
		read_sample(&t);
	}
	globfree(&found);
	free(pattern);
	cr_expect_geq(t.records, 400, "%u records", t.records);
	cr_expect(t.of_table[0x40] && t.of_table[0x42] && t.of_table[0x4e] &&
		  t.of_table[0x70] && t.of_table[0x73]);
	cr_expect_geq(t.texts, 80, "%u texts", t.texts);
	cr_expect_leq(t.raw, 3, "%u sections as hex", t.raw);
}
