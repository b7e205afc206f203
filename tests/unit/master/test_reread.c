/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/reread.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <string.h>

static struct reread *reread;

static void ignore(int result, const struct errmsg *error, void *arg)
{
	(void)result, (void)error, (void)arg;
}

static void open_with_file(void)
{
	open_world("{'gid':1}");
	reread = reread_new(&(struct reread_config){
		.loop = w.loop,
		.options = &w.options,
		.config = w.config,
		.api = w.api,
	});
	config_save_now(w.config, ignore, NULL);
	while (!config_is_saved(w.config))
		ev_run(w.loop, EVRUN_ONCE);
	w.log[0] = '\0';
}

static void close_with_file(void)
{
	close_world();
	reread_free(&reread);
}

/* Begins to write another document to the file. */
static void upload(void)
{
	json_t *document = fakes_json("{'gid':2}");

	config_upload(w.config, document, ignore, NULL);
	json_decref(document);
	cr_assert(config_is_writing(w.config));
}

Test(reread, waits_for_the_end_of_a_save)
{
	open_with_file();
	for (int i = 0; i < 2; i++) {
		upload();
		/* the second time the thread is already writing */
		if (i > 0)
			ev_run(w.loop, EVRUN_NOWAIT);
		cr_assert_eq(post_through("{'cmd':'reload'}"), 200, "%s",
			     said());
		expect_section("gid", "2");
	}
	close_with_file();
}

Test(reread, waits_at_a_signal_too)
{
	open_with_file();
	upload();
	reread_ask(reread);
	for (int i = 0; i < 1000 && config_gid(w.config) != 2; i++)
		run_for_ms(1);
	expect_section("gid", "2");
	close_with_file();
}

Test(reread, is_refused_while_a_change_waits_for_its_save)
{
	open_with_file();
	config_touch(w.config);
	cr_assert_eq(post("{'cmd':'reload'}"), 409);
	cr_expect_not_null(strstr(said(), "is about to overwrite the file"),
			   "%s", said());
	close_with_file();
}

/* The change would overwrite a file that somebody has edited: it is not saved
 * earlier for the reload. */
Test(reread, is_refused_after_a_change_that_comes_meanwhile)
{
	open_with_file();
	upload();
	cr_assert_eq(post("{'cmd':'reload'}"), 0);
	config_set_gid(w.config, 3);
	cr_assert_eq(wait_answer(), 409);
	cr_expect_not_null(strstr(said(), "is about to overwrite the file"),
			   "%s", said());
	expect_section("gid", "3");
	close_with_file();
}

Test(reread, that_waits_ends_with_the_service)
{
	open_with_file();
	upload();
	reread_ask(reread);
	cr_assert_eq(post("{'cmd':'reload'}"), 0);
	reread_stop(reread);
	cr_assert_eq(wait_answer(), 500);
	upload();
	reread_ask(reread);
	close_with_file();
}

static void wait_for_save(int result, const json_t *document,
			  const struct errmsg *error, void *arg)
{
	(void)result, (void)document, (void)error, (void)arg;
	config_wait(w.config, ignore, NULL);
	cr_expect(config_is_saved(w.config));
	cr_expect_not(config_is_writing(w.config));
}

/* The one that waits writes nothing. */
Test(reread, is_not_refused_beside_one_that_waits)
{
	open_with_file();
	config_read_file(w.config, 0, wait_for_save, NULL);
	cr_assert_eq(post_through("{'cmd':'reload'}"), 200, "%s", said());
	close_with_file();
}
