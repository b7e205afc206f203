/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "common/document/fallback.h"
#include "master/config/loadable.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/rescue-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/file", folder);
}

static void tear_down(void)
{
	char pattern[80];
	glob_t found;

	(void)snprintf(pattern, sizeof pattern, "%s/*", folder);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			(void)unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	(void)rmdir(folder);
}

TestSuite(rescue, .init = set_up, .fini = tear_down);

/* age: seconds before a day in 2026. */
static void put(const char *suffix, const char *text, int age)
{
	struct timespec times[2] = { { .tv_sec = 1790000000 - age },
				     { .tv_sec = 1790000000 - age } };
	char name[80];
	FILE *f;

	(void)snprintf(name, sizeof name, "%s%s", path, suffix);
	f = fopen(name, "w");
	cr_assert_neq(fputs(text, f), EOF);
	cr_assert_eq(fclose(f), 0);
	cr_assert_eq(utimensat(AT_FDCWD, name, times, 0), 0);
}

static void digest_of_text(const char *text, char ret[DOCUMENT_DIGEST_TEXT])
{
	json_t *document = json_loads(text, 0, NULL);

	loadable_digest(document, ret);
	json_decref(document);
}

static void expect(const char *good, const char *bad, const char *suffix)
{
	char *source = NULL;
	static const struct fallback_judge judge = {
		.load = loadable_load,
		.digest = loadable_digest,
	};
	const struct fallback_query q = { path, good, bad, &judge };
	json_t *found = fallback_find(&q, &source);

	if (suffix == NULL) {
		cr_expect_null(found);
		cr_expect_null(source);
		return;
	}
	cr_assert_not_null(found);
	cr_expect_str_eq(source + strlen(path), suffix);
	json_decref(found);
	free(source);
}

Test(rescue, finds_nothing_where_nothing_is)
{
	expect("", "", NULL);
}

Test(rescue, selects_the_newest_whatever_its_name)
{
	put(".backup", "{}", 30);
	put(".1", "{}", 40);
	put(".2", "{}", 50);
	expect("", "", ".backup");
	put(".1", "{}", 20);
	expect("", "", ".1");
	put(".10", "{}", 10);
	expect("", "", ".10");
	put(".backup", "{}", 10);
	expect("", "", ".backup");
}

Test(rescue, skips_damaged_versions)
{
	put(".backup", "{\"gid\": ", 10);
	put(".1", "", 20);
	put(".2", "[]", 30);
	put(".3", "{\"settings\":{\"control_port\":\"70000\"}}", 40);
	expect("", "", NULL);
	put(".4", "{\"gid\":4}", 50);
	expect("", "", ".4");
}

Test(rescue, selects_the_good_one_and_never_the_bad_one)
{
	char good[DOCUMENT_DIGEST_TEXT], bad[DOCUMENT_DIGEST_TEXT];
	char none[DOCUMENT_DIGEST_TEXT];

	digest_of_text("{\"gid\":1}", bad);
	digest_of_text("{\"gid\":3}", good);
	digest_of_text("{\"gid\":4}", none);
	put(".1", "{\"gid\":  1}", 10);
	put(".2", "{\"gid\":2}", 20);
	put(".3", "{ \"gid\":3 }", 30);
	expect("", bad, ".2");
	expect(good, bad, ".3");
	expect(none, bad, ".2");
}

Test(rescue, keeps_the_faulty_file_beside_the_new_one)
{
	json_t *document = json_pack("{s:i}", "gid", 7);
	struct errmsg why = { 0 };
	char *kept, text[16] = "";
	json_t *now;
	FILE *f;

	put("", "{broken", 0);
	cr_assert_eq(chmod(path, 0640), 0);
	cr_assert_eq(fallback_put(path, document, &kept, &why), 0, "%s",
		     why.text);
	cr_expect_eq(strncmp(kept + strlen(path), ".broken-2", 9), 0);
	f = fopen(kept, "r");
	cr_assert_not_null(f);
	cr_expect_eq(fread(text, 1, sizeof text - 1, f), 7u);
	cr_assert_eq(fclose(f), 0);
	cr_expect_str_eq(text, "{broken");
	cr_assert_eq(loadable_load(path, &now, &why), 0);
	cr_expect(json_equal(now, document));
	json_decref(now);
	json_decref(document);
	free(kept);
}
