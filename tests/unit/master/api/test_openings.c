/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages that open at once share the texts of the large replies. */
#include "common/base/buf.h"
#include "common/base/mono.h"
#include "common/document/document.h"
#include "master/auth/auth.h"
#include "master/status/status.h"
#include "tests/unit/master/api/world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 800, FEW = 60, PAGES = 50, LARGE = 65536 };

/* What the replies cost: texts of at least LARGE bytes, parsed files. */
static unsigned texts, parsed;
static uint64_t frozen_ms; /* 0: the clock runs */
static const char *encoding = "identity"; /* that the client accepts */

char *__real_json_dumps(const json_t *json, size_t flags);
char *__wrap_json_dumps(const json_t *json, size_t flags);
void __real_status_overview(struct status *s, status_sentence_fn *open,
			    struct buf *to, json_t *alarms);
void __wrap_status_overview(struct status *s, status_sentence_fn *open,
			    struct buf *to, json_t *alarms);
uint64_t __real_mono_ms(void);
uint64_t __wrap_mono_ms(void);
int __real_document_load_changed(const char *path, char *digest, json_t **ret,
				 struct errmsg *error);
int __wrap_document_load_changed(const char *path, char *digest, json_t **ret,
				 struct errmsg *error);

char *__wrap_json_dumps(const json_t *json, size_t flags)
{
	char *text = __real_json_dumps(json, flags);

	texts += strlen(text) >= LARGE;
	return text;
}

void __wrap_status_overview(struct status *s, status_sentence_fn *open,
			    struct buf *to, json_t *alarms)
{
	__real_status_overview(s, open, to, alarms);
	texts += buf_len(to) >= LARGE;
}

uint64_t __wrap_mono_ms(void)
{
	return frozen_ms != 0 ? frozen_ms : __real_mono_ms();
}

int __wrap_document_load_changed(const char *path, char *digest, json_t **ret,
				 struct errmsg *error)
{
	int r = __real_document_load_changed(path, digest, ret, error);

	parsed += *ret != NULL;
	return r;
}

static void open_house_of(int streams, bool redact)
{
	static char text[STREAMS * 128 + 1024];
	size_t len = (size_t)sprintf(
		text, "{'settings':{'observer_redact':%s},'users':{"
		      "'olga':{'enable':true,'type':2},"
		      "'ada':{'enable':true,'type':1}},'make_stream':[",
		redact ? "true" : "false");
	FILE *file;

	for (int i = 0; i < streams; i++)
		len += (size_t)sprintf(
			text + len, "%s{'id':'s%03d','name':'A stream with a "
				    "usual name %d','type':'spts','enable':"
				    "true,'input':['udp://239.1.1.1:%d']}",
			i > 0 ? "," : "", i, i, 1000 + i);
	(void)strcpy(text + len, "]}");
	open_world(text);
	/* the world has no file until a command changes something */
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\'')
			*c = '"';
	file = fopen(w.path, "w");
	cr_assert_not_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	w.options.no_web_auth = false;
	texts = parsed = 0;
	frozen_ms = __real_mono_ms();
}

static void open_house(bool redact)
{
	open_house_of(STREAMS, redact);
}

/* One request of a login. */
static void ask(const char *login, const char *path, const char *body)
{
	char id[SECRET_TEXT], value[SECRET_TEXT + 16];
	const char *headers[][2] = { { "cookie", value },
				     { "accept-encoding", encoding },
				     { NULL } };
	struct http_request r = { .method = body[0] != '\0' ? "POST" : "GET",
				  .path = path, .query = "", .body = body,
				  .headers = headers };

	auth_open_session(w.parts.auth, login, false, id);
	(void)snprintf(value, sizeof value, "svc_session=%s", id);
	fakes.status = 0;
	api_handle(w.api, NULL, &r);
	/* a page waits for the file */
	cr_assert_eq(wait_answer(), 200, "%s: %s", path, fakes.body);
}

static void open_page(const char *login)
{
	ask(login, "/control/", "{\"cmd\":\"whoami\"}");
	ask(login, "/control/", "{\"cmd\":\"ws-token\"}");
	ask(login, "/control/", "{\"cmd\":\"load\"}");
	ask(login, "/api/overview", "");
	ask(login, "/api/forms", "");
}

static void open_pages(const char *login)
{
	for (int i = 0; i < PAGES; i++)
		open_page(login);
}

static void close_house(void)
{
	frozen_ms = 0;
	(void)remove(w.path);
	api_free(&w.api);
}

Test(openings, of_administrators_make_each_text_once)
{
	open_house(false);
	open_pages("ada");
	cr_expect_eq(texts, 3u, "%u texts: load, overview, forms", texts);
	cr_expect_eq(parsed, 0u);
	close_house();
}

Test(openings, of_observers_make_each_text_and_read_the_file_once)
{
	for (int redact = 0; redact <= 1; redact++) {
		open_house(redact);
		open_pages("olga");
		cr_expect_eq(texts, 3u, "%u texts: load, overview, forms",
			     texts);
		cr_expect_eq(parsed, 1u, "%u times", parsed);
		close_house();
	}
}

Test(openings, of_both_with_observer_redact_make_two_texts)
{
	open_house(true);
	for (int i = 0; i < PAGES; i++) {
		open_page("olga");
		cr_expect_null(strstr(fakes.tail, "udp://239.1.1.1"));
		open_page("ada");
	}
	cr_expect_leq(texts, 6u, "%u texts", texts);
	cr_expect_eq(parsed, 1u);
	close_house();
}

static bool is_packed(const char *path)
{
	encoding = "gzip";
	ask("ada", path, "");
	encoding = "identity";
	return strstr(fakes.headers, "Content-Encoding: gzip") != NULL;
}

Test(openings, compress_only_texts_that_are_kept)
{
	open_house_of(FEW, false);
	ask("olga", "/api/overview", "");
	cr_expect(strlen(fakes.body) >= 4096, "%zu bytes",
		  strlen(fakes.body));
	cr_expect(!is_packed("/api/overview"));
	cr_expect(is_packed("/api/config"));
	cr_expect(is_packed("/api/forms"));
	close_house();
	open_house(false);
	cr_expect(is_packed("/api/overview"));
	close_house();
}

Test(openings, follow_the_file)
{
	open_house(false);
	open_page("olga");
	open_page("olga");
	cr_assert_eq(parsed, 1u);
	for (int i = 0; i < 2; i++) {
		FILE *file = fopen(w.path, "w");

		cr_assert_not_null(file);
		(void)fprintf(file, "{\"new\":%d}", i);
		(void)fclose(file);
		ask("olga", "/control/", "{\"cmd\":\"load\"}");
		cr_assert_eq(fakes.body[7], '0' + i, "%s", fakes.body);
	}
	cr_assert_eq(parsed, 3u);
	close_house();
}
