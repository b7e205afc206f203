/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/backend_cache.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct {
	unsigned status, duration_s;
	int allowed; /* -1: it is no decision */
	uint32_t for_s;
} answers[] = {
	{ 200, 0, 1, BACKEND_ALLOW_S },
	{ 200, 5, 1, 5 },
	{ 200, 1000000, 1, BACKEND_DURATION_MAX_S },
	{ 401, 0, 0, BACKEND_DENY_S },
	{ 403, 7, 0, 7 },
	{ 404, 0, 0, BACKEND_DENY_S },
	{ 204, 0, -1, 0 },
	{ 302, 0, -1, 0 },
	{ 500, 9, -1, 0 },
	{ 0, 9, -1, 0 },
};

Test(backend_cache, an_answer_of_the_backend_is_a_decision_or_none)
{
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		const struct msg_backend_result r = {
			.status = answers[i].status, .error = "timed out",
			.login = "anna", .user = "u1", .location = "",
			.max_sessions = 3, .duration_s = answers[i].duration_s,
		};
		struct backend_verdict v;
		struct errmsg error;
		int err = backend_verdict_read(&r, 1000, &v, &error);

		cr_assert_eq(err < 0, answers[i].allowed < 0, "%u", r.status);
		if (err < 0)
			continue;
		cr_assert_eq(v.allowed, answers[i].allowed == 1);
		cr_assert_eq(v.duration_s, answers[i].for_s);
		cr_assert_eq(v.fresh_until_ms,
			     1000 + 1000 * (uint64_t)answers[i].for_s);
		cr_assert_str_eq(v.login, "anna");
		cr_assert_eq(v.max_sessions, 3);
	}
}

static struct digest key_of(const struct backend_cache *c, const char *a,
			    const char *b)
{
	const char *texts[] = { a, b };

	return backend_cache_key(c, texts, ARRAY_LEN(texts));
}

static void put(struct backend_cache *c, const struct digest *key,
		const char *login, uint64_t fresh_until_ms)
{
	backend_cache_put(c, key, &(struct backend_verdict){
		.allowed = true, .login = login, .user = "", .location = "",
		.fresh_until_ms = fresh_until_ms,
	});
}

Test(backend_cache, different_texts_have_different_keys)
{
	struct backend_cache *c = backend_cache_new(), *d = backend_cache_new();
	struct digest ab = key_of(c, "ab", ""), a_b = key_of(c, "a", "b");
	struct digest again = key_of(c, "ab", ""), other = key_of(d, "ab", "");

	cr_assert_not(digest_equal(&ab, &a_b));
	cr_assert(digest_equal(&ab, &again));
	/* no key can be computed without the secret */
	cr_assert_not(digest_equal(&ab, &other));
	backend_cache_free(&c);
	backend_cache_free(&d);
	cr_assert_null(c);
}

Test(backend_cache, a_decision_is_kept_for_the_time_without_the_backend)
{
	struct backend_cache *c = backend_cache_new();
	struct digest a = key_of(c, "a", ""), b = key_of(c, "b", "");
	char login[] = "anna";
	const struct backend_verdict *found;

	put(c, &a, login, 1000);
	login[0] = 'x';
	cr_assert_null(backend_cache_find(c, &b, 0));
	found = backend_cache_find(c, &a, 1000 + BACKEND_STALE_MS - 1);
	cr_assert_not_null(found);
	cr_assert_str_eq(found->login, "anna");
	/* the newest one counts */
	put(c, &a, "bert", 5000);
	found = backend_cache_find(c, &a, 1000 + BACKEND_STALE_MS);
	cr_assert_str_eq(found->login, "bert");
	cr_assert_null(backend_cache_find(c, &a, 5000 + BACKEND_STALE_MS));
	/* it is forgotten */
	cr_assert_null(backend_cache_find(c, &a, 0));
	put(c, &a, "carl", 1000);
	backend_cache_clear(c);
	cr_assert_null(backend_cache_find(c, &a, 0));
	backend_cache_free(&c);
}

Test(backend_cache, the_oldest_decision_makes_room)
{
	struct backend_cache *c = backend_cache_new();
	struct digest first = key_of(c, "0", ""), second = key_of(c, "1", "");
	char text[16];

	for (unsigned i = 0; i < BACKEND_CACHE_MAX; i++) {
		struct digest key;

		(void)snprintf(text, sizeof text, "%u", i);
		key = key_of(c, text, "");
		put(c, &key, "", 1000);
	}
	/* a new decision about a known key needs no room */
	put(c, &second, "", 1000);
	cr_assert_not_null(backend_cache_find(c, &first, 0));
	{
		struct digest more = key_of(c, "more", "");

		put(c, &more, "", 1000);
		cr_assert_not_null(backend_cache_find(c, &more, 0));
	}
	cr_assert_null(backend_cache_find(c, &first, 0));
	cr_assert_not_null(backend_cache_find(c, &second, 0));
	backend_cache_free(&c);
}
