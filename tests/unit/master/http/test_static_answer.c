/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "master/http/static_answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct static_file files[] = {
	{ "common/x.css", "x", 1, "xz", 2 },
	{ "headend/index.html", "page", 4, "pz", 2 },
	{ "headend/main.js", "main", 4, "mz", 2 },
};
static const struct static_tree tree = { "0123abcd", files,
					 ARRAY_LEN(files) };

static char folder[] = "/tmp/test-static-XXXXXX";

static struct http_request *request(const char *headers)
{
	struct http_request *r = http_request_new(100);
	struct buf in = { 0 };

	buf_printf(&in, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", headers);
	cr_assert_eq(http_request_feed(r, &in), HTTP_HAVE_HEAD);
	buf_done(&in);
	return r;
}

/* The answer as "STATUS BODY CACHE", or "none". */
static const char *answer(const char *where, const char *name,
			  const char *headers, struct static_answer *ret)
{
	static char text[200];
	struct http_request *r = request(headers);

	if (static_answer(&tree, &(struct static_query){
			.folder = where, .name = name, .hosts = " http://h:1",
			.request = r }, ret))
		(void)snprintf(text, sizeof text, "%d %.*s %s",
			       ret->http.status, (int)ret->http.len,
			       (const char *)ret->http.body, ret->http.cache);
	else
		(void)snprintf(text, sizeof text, "none");
	http_request_free(&r);
	return text;
}

static void expect(const char *name, const char *headers, const char *wanted)
{
	struct static_answer a;

	cr_expect_str_eq(answer(NULL, name, headers, &a), wanted);
	static_answer_done(&a);
}

Test(static_answer, finds_every_file_of_the_table)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		cr_expect_eq(static_find(&tree, files[i].name), &files[i]);
	cr_expect_null(static_find(&tree, ""));
	cr_expect_null(static_find(&tree, "headend/main"));
	cr_expect_null(static_find(&tree, "headend/main.jsx"));
}

Test(static_answer, of_this_build_is_in_order_and_has_types)
{
	cr_assert_gt(static_tree.n, 0);
	cr_expect_not_null(static_find(&static_tree, STATIC_PAGE));
	for (size_t i = 0; i < static_tree.n; i++) {
		const struct static_file *f = &static_tree.files[i];

		cr_expect_eq(static_find(&static_tree, f->name), f);
		cr_expect_not_null(static_type(f->name), "%s", f->name);
		/* the head of gzip, deflated, without a name */
		cr_expect(f->gzip_len > 18 &&
			  memcmp(f->gzip, "\x1f\x8b\x08\0", 4) == 0);
	}
}

Test(static_answer, caches_files_for_ever_and_asks_for_the_page)
{
	expect(NULL, "", "200 page no-cache");
	expect("0123abcd/headend/main.js", "",
	       "200 main public, max-age=31536000, immutable");
}

Test(static_answer, has_no_file_of_another_hash_or_without_one)
{
	static const char *const names[] = {
		"", "/", "0123abcd", "0123abcd/", "0123abc/headend/main.js",
		"0123abcde/headend/main.js", "headend/main.js",
		"0123abcd//headend/main.js", "0123abcd/headend/",
		"0123abcd/../headend/main.js", "0123abcd/headend/main.js/",
		"@TREE@/headend/main.js",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		expect(names[i], "", "none");
}

Test(static_answer, compresses_for_who_accepts_it)
{
	static const char *const yes[] = {
		"gzip", "deflate, gzip, br", "GZIP", "gzip;q=0.5", "br,gzip",
		"gzip ; q=1", "identity;q=0, gzip;q=1.0",
	}, *const no[] = {
		"", "br", "gzip;q=0", "gzip; q=0.000", "gzipped", "x-gzip",
		"identity", "deflate;gzip",
	};

	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		cr_expect(static_accepts_gzip(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		cr_expect_not(static_accepts_gzip(no[i]), "%s", no[i]);
	cr_expect_not(static_accepts_gzip(NULL));
	expect(NULL, "Accept-Encoding: gzip\r\n", "200 pz no-cache");
}

Test(static_answer, knows_its_tag)
{
	static const char *const yes[] = {
		"\"ab\"", "\"ab-gz\"", "W/\"ab\"", "\"x\", \"ab\"", "*",
		"\"x\",W/\"ab-gz\"",
	}, *const no[] = {
		"", "ab", "\"a\"", "\"abc\"", "\"ab-gzx\"", "\"x\"", "W/",
		"\"", ",,,",
	};

	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		cr_expect(static_is_known(yes[i], "ab"), "%s", yes[i]);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		cr_expect_not(static_is_known(no[i], "ab"), "%s", no[i]);
	cr_expect_not(static_is_known(NULL, "ab"));
	expect(NULL, "If-None-Match: \"0123abcd-gz\"\r\n",
	       "304 page no-cache");
}

Test(static_answer, names_encoding_tag_and_policy)
{
	struct static_answer a;

	(void)answer(NULL, NULL, "Accept-Encoding: gzip\r\n", &a);
	cr_expect_not_null(strstr(a.headers, "Content-Encoding: gzip\r\n"));
	cr_expect_not_null(strstr(a.headers, "Vary: Accept-Encoding\r\n"));
	cr_expect_not_null(strstr(a.headers, "ETag: \"0123abcd-gz\"\r\n"));
	cr_expect_not_null(strstr(a.headers, "default-src 'none'; "));
	cr_expect_not_null(strstr(a.headers, "trusted-types 'none'\r\n"));
	cr_expect_not_null(strstr(a.headers,
				  "connect-src 'self' http://h:1; "));
	cr_expect_not_null(strstr(a.headers, "Vary: Cookie\r\n"));
	cr_expect_str_eq(a.headers + strlen(a.headers) - 2, "\r\n");
	(void)answer(NULL, "0123abcd/headend/main.js", "", &a);
	cr_expect_null(strstr(a.headers, "Content-Encoding"));
	cr_expect_null(strstr(a.headers, "Content-Security-Policy"));
	cr_expect_str_eq(a.http.content_type,
			 "text/javascript; charset=utf-8");
}

static void write_file(const char *name, const char *text)
{
	char path[100];
	FILE *f;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	cr_assert_not_null(f);
	cr_assert_geq(fputs(text, f), 0);
	cr_assert_eq(fclose(f), 0);
}

static void make_folder(void)
{
	char path[100];

	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/headend", folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	write_file("headend/main.js", "edited");
	write_file("headend/secret", "no type");
	(void)snprintf(path, sizeof path, "%s/headend/out.js", folder);
	cr_assert_eq(symlink("/etc/passwd", path), 0);
	(void)snprintf(path, sizeof path, "%s/headend/dir.js", folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof path, "%s/headend/pipe.js", folder);
	cr_assert_eq(mkfifo(path, 0600), 0);
}

static void remove_folder(void)
{
	char command[100];

	(void)snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

Test(static_answer, prefers_the_folder_of_who_works_on_it)
{
	static const struct {
		const char *name, *wanted;
	} cases[] = {
		{ "any/headend/main.js", "200 edited no-cache" },
		{ "@TREE@/headend/main.js", "200 edited no-cache" },
		/* not in the folder */
		{ "any/common/x.css",
		  "200 x public, max-age=31536000, immutable" },
		{ NULL, "200 page no-cache" },
		{ "any/headend/secret", "none" },
		{ "any/headend/out.js", "none" },
		{ "any/headend/dir.js", "none" },
		{ "any/headend/pipe.js", "none" },
		{ "any//etc/passwd.js", "none" },
		{ "any/../x.js", "none" },
	};

	make_folder();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct static_answer a;

		cr_expect_str_eq(answer(folder, cases[i].name, "", &a),
				 cases[i].wanted);
		static_answer_done(&a);
	}
	remove_folder();
}
