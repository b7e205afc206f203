/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/write_paths.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *json(const char *text)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

	cr_assert_not_null(value);
	return value;
}

Test(write_paths, has_what_is_below_its_folders)
{
	struct write_paths *p = write_paths_new();

	cr_expect_not(write_paths_has(p, "/a/b"));
	write_paths_add(p, "/rec//./news/:/var/log");
	write_paths_add(p, NULL);
	write_paths_add(p, "");
	write_paths_add_file(p, "/etc/x.log");
	write_paths_add_file(p, "");
	cr_expect(write_paths_has(p, "/rec/news/a.ts"));
	cr_expect(write_paths_has(p, "/rec/news/2026/a.ts"));
	cr_expect(write_paths_has(p, "//rec/./news//a.ts"));
	cr_expect(write_paths_has(p, "/var/log/sluice.log"));
	cr_expect(write_paths_has(p, "/etc/x.log"));
	cr_expect_not(write_paths_has(p, "/rec/news"));
	cr_expect_not(write_paths_has(p, "/rec/newspaper/a.ts"));
	cr_expect_not(write_paths_has(p, "/rec/a.ts"));
	cr_expect_not(write_paths_has(p, "/rec/news/../../etc/cron.d/a"));
	cr_expect_not(write_paths_has(p, "/etc/x.log/a"));
	cr_expect_not(write_paths_has(p, "/etc/y.log"));
	cr_expect_not(write_paths_has(p, "/"));
	cr_expect_not(write_paths_has(p, "var/log/a"));
	write_paths_add(p, "/");
	cr_expect(write_paths_has(p, "/etc/y.log"));
	cr_expect(write_paths_has(p, "here"));
	cr_expect_not(write_paths_has(p, "/a/../b"));
	write_paths_free(&p);
	cr_assert_null(p);
}

Test(write_paths, what_a_document_names_is_allowed)
{
	struct write_paths *p = write_paths_new();
	struct errmsg error;
	json_t *before = json("{\"log\":{\"filename\":\"/l/s.log\"},"
			      "\"make_stream\":[{\"output\":["
			      "\"udp://239.1.1.1:1\",\"file:///rec/a.ts\"]}]}");
	json_t *other = json("{\"log\":{\"filename\":\"/l/s.log\"},"
			     "\"make_stream\":[{},{\"output\":[\"x\",7,"
			     "\"file:///rec/b.ts\",\"file:///etc/c.ts\"]}]}");
	json_t *log = json("{\"filename\":\"/l/t.log\"}");

	write_paths_set_document(p, before);
	cr_expect_eq(write_paths_judge(p, before, &error), 0);
	cr_expect_eq(write_paths_judge(p, other, &error), -EPERM);
	cr_expect_str_eq(error.text, "make_stream[1].output[3]: /etc/c.ts is "
			 "in no folder that the service may write to: start "
			 "it with --allow-path FOLDER");
	cr_expect_eq(write_paths_judge_stream(p, json_array_get(
		json_object_get(other, "make_stream"), 1), &error), -EPERM);
	cr_expect_eq(write_paths_judge_log(p, log, &error), -EPERM);
	cr_expect_eq(strncmp(error.text, "filename: /l/t.log is", 21), 0);
	cr_expect_eq(write_paths_judge(p, NULL, &error), 0);
	/* only what the file in force names, and what was given */
	write_paths_add_file(p, "/l/t.log");
	write_paths_set_document(p, other);
	cr_expect_eq(write_paths_judge(p, other, &error), 0);
	write_paths_set_document(p, NULL);
	cr_expect_eq(write_paths_judge(p, other, &error), -EPERM);
	cr_expect_not(write_paths_has(p, "/rec/a.ts"));
	cr_expect_not(write_paths_has(p, "/l/s.log"));
	cr_expect_eq(write_paths_judge_log(p, log, &error), 0);
	json_decref(before);
	json_decref(other);
	json_decref(log);
	write_paths_free(&p);
}

Test(write_paths, an_export_of_the_guide_is_a_file_too)
{
	struct write_paths *p = write_paths_new();
	struct errmsg error;
	json_t *before = json("{\"settings\":{\"epg_export\":["
			      "\"file:///www/tv.xml#gzip\","
			      "\"http://h/etc/x\"]}}");
	json_t *other = json("{\"settings\":{\"epg_export\":["
			     "\"file:///www/b.xml\",\"file:///etc/c.xml\"]}}");

	write_paths_set_document(p, before);
	cr_expect_eq(write_paths_judge(p, before, &error), 0);
	cr_expect_eq(write_paths_judge(p, other, &error), -EPERM);
	cr_expect_eq(strncmp(error.text, "settings.epg_export[1]: /etc/c.xml "
					 "is in no folder", 50), 0);
	json_decref(before);
	json_decref(other);
	write_paths_free(&p);
}

Test(write_paths, a_recording_in_the_root_allows_itself_only)
{
	struct write_paths *p = write_paths_new();
	json_t *document = json("{\"make_stream\":[{\"output\":["
				"\"file:///x.ts\",\"file:///./y.ts\"]}]}");

	write_paths_set_document(p, document);
	cr_expect(write_paths_has(p, "/x.ts"));
	cr_expect(write_paths_has(p, "/y.ts"));
	cr_expect_not(write_paths_has(p, "/z.ts"));
	cr_expect_not(write_paths_has(p, "/etc/cron.d/a"));
	json_decref(document);
	write_paths_free(&p);
}

static void note(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	size_t len = strlen(arg);

	(void)text;
	cr_assert_eq(severity, CHECK_WARNING);
	(void)snprintf((char *)arg + len, 256 - len, "%s;", path);
}

Test(write_paths, recordings_beside_the_files_of_the_service_are_found)
{
	struct write_paths *own = write_paths_own("/etc/sluice/x.json",
						  "/var/lib/sluice-state");
	json_t *document = json(
		"{\"make_stream\":[{\"enable\":true,\"output\":["
		"\"file:///rec/a.ts\",\"file:///etc/sluice/b.ts\","
		"\"udp://239.1.1.1:1\",\"file:///etc/sluice-2/a.ts\","
		"\"file:///etc/sluice/rec/b.ts\","
		"\"file:///var/lib/sluice-state/rec/b.ts\"]},"
		"{\"enable\":false,\"output\":[\"file:///etc/sluice/c.ts\"]},"
		"{\"enable\":true,\"output\":["
		"\"file:///var/lib/sluice-state/%Y.ts\",7]},5]}");
	char found[256] = "";

	write_paths_find_all_own(own, document, note, found);
	cr_expect_str_eq(found, "make_stream[0].output[1];"
				"make_stream[2].output[0];");
	found[0] = '\0';
	write_paths_find_own(own, json_array_get(json_object_get(
				     document, "make_stream"), 2),
			     &(struct check_place){ .path = "stream",
						    .document = document },
			     note, found);
	cr_expect_str_eq(found, "stream.output[0];");
	found[0] = '\0';
	write_paths_find_all_own(NULL, document, note, found);
	cr_expect_str_eq(found, "");
	json_decref(document);
	write_paths_free(&own);
}

Test(write_paths, a_folder_with_the_certificate_is_one_of_the_service)
{
	struct write_paths *own = write_paths_own("/etc/sluice/x.json", NULL);
	json_t *document = json(
		"{\"settings\":{\"epg_days\":1,"
		"\"crt_chain\":\"-----BEGIN C/x\","
		"\"crt_key\":\"/etc/sluice/tls/key.pem\",\"epg_export\":["
		"\"file:///etc/sluice/tls/tv.xml\"]},"
		"\"make_stream\":[{\"enable\":true,\"output\":["
		"\"file:///etc/sluice/rec/a.ts\","
		"\"file:///etc/sluice/tls/a.ts\"]}]}");
	struct check_place place = { .path = "stream", .document = document };
	char found[256] = "";

	write_paths_find_all_own(own, document, note, found);
	cr_expect_str_eq(found, "settings.epg_export[0];"
				"make_stream[0].output[1];");
	found[0] = '\0';
	write_paths_find_own(own, json_array_get(json_object_get(
				     document, "make_stream"), 0),
			     &place, note, found);
	cr_expect_str_eq(found, "stream.output[1];");
	json_decref(document);
	write_paths_free(&own);
}

Test(write_paths, exports_beside_the_files_of_the_service_are_found)
{
	struct write_paths *own = write_paths_own("/etc/sluice/x.json",
						  "/var/lib/sluice-state");
	json_t *document = json(
		"{\"settings\":{\"epg_days\":1,\"epg_export\":["
		"\"file:///www/tv.xml\",\"file:///etc/sluice/x.json\",7,"
		"\"http://h/etc/sluice/a\","
		"\"file:///var/lib/sluice-state/tv.xml#gzip\","
		"\"file:///etc/sluice/www/tv.xml\"]}}");
	char found[256] = "";

	write_paths_find_all_own(own, document, note, found);
	cr_expect_str_eq(found, "settings.epg_export[1];"
				"settings.epg_export[4];");
	found[0] = '\0';
	(void)json_object_del(json_object_get(document, "settings"),
			      "epg_days");
	write_paths_find_all_own(own, document, note, found);
	cr_expect_str_eq(found, "");
	json_decref(document);
	write_paths_free(&own);
}
