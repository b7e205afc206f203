/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/session.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NOW = 1800000000 };

static void open_one(struct sessions *s, const char *login, int64_t life,
		     char text[SECRET_TEXT])
{
	struct session session = { .login = login,
				   .stamp = digest_of("cipher"),
				   .expires = NOW + life };

	sessions_open(s, &session, text);
}

static bool is_open(const struct sessions *s, const char *text, int64_t now)
{
	struct session found;

	return sessions_find(s, text, now, &found);
}

Test(session, is_found_by_its_id_until_it_expires)
{
	struct sessions *s = sessions_new();
	char id[SECRET_TEXT];
	struct session found;

	open_one(s, "anna", SESSION_DAY_S, id);
	cr_expect_eq(strlen(id), 64);
	cr_expect_eq(strspn(id, "0123456789abcdef"), 64);
	cr_assert(sessions_find(s, id, NOW, &found));
	cr_expect_str_eq(found.login, "anna");
	cr_expect_eq(found.expires, NOW + SESSION_DAY_S);
	cr_expect(is_open(s, id, NOW + SESSION_DAY_S - 1));
	cr_expect_not(is_open(s, id, NOW + SESSION_DAY_S));
	id[63] = id[63] == '0' ? '1' : '0';
	cr_expect_not(is_open(s, id, NOW));
	cr_expect_not(is_open(s, "", NOW));
	sessions_free(&s);
}

Test(session, a_17th_ends_the_session_closest_to_its_end)
{
	struct sessions *s = sessions_new();
	char ids[18][SECRET_TEXT], other[SECRET_TEXT];

	open_one(s, "bert", 1, other);
	/* the third session ends first */
	for (int i = 0; i < 16; i++)
		open_one(s, "anna", i == 2 ? 50 : 100 + i, ids[i]);
	for (int i = 0; i < 16; i++)
		cr_expect(is_open(s, ids[i], NOW));
	open_one(s, "anna", 1000, ids[16]);
	for (int i = 0; i < 17; i++)
		cr_expect_eq(is_open(s, ids[i], NOW), i != 2, "%d", i);
	open_one(s, "anna", 1000, ids[17]);
	cr_expect_not(is_open(s, ids[0], NOW));
	cr_expect(is_open(s, other, NOW), "another's is left alone");
	sessions_free(&s);
}

Test(session, the_oldest_of_one_second_ends)
{
	struct sessions *s = sessions_new();
	char ids[40][SECRET_TEXT];

	for (int i = 0; i < 40; i++)
		open_one(s, "anna", 100, ids[i]);
	for (int i = 0; i < 40; i++)
		cr_expect_eq(is_open(s, ids[i], NOW), i >= 24, "%d", i);
	sessions_free(&s);
}

Test(session, ends_alone)
{
	struct sessions *s = sessions_new();
	char a[SECRET_TEXT], b[SECRET_TEXT];

	open_one(s, "anna", 100, a);
	open_one(s, "anna", 100, b);
	cr_expect(sessions_end(s, a));
	cr_expect_not(sessions_end(s, a));
	cr_expect_not(is_open(s, a, NOW));
	cr_expect(is_open(s, b, NOW));
	sessions_free(&s);
}

static bool is_not(const struct session *session, void *arg)
{
	return strcmp(session->login, arg) != 0;
}

Test(session, sessions_of_one_login_are_removed)
{
	struct sessions *s = sessions_new();
	char ids[12][SECRET_TEXT];
	char anna[] = "anna";

	for (int i = 0; i < 12; i++)
		open_one(s, i % 3 == 0 ? "anna" : "bert", 100, ids[i]);
	cr_expect_eq(sessions_sift(s, is_not, anna), 4);
	for (int i = 0; i < 12; i++)
		cr_expect_eq(is_open(s, ids[i], NOW), i % 3 != 0);
	sessions_free(&s);
}

Test(session, are_restored_from_the_file_which_has_no_id)
{
	struct sessions *s = sessions_new(), *again = sessions_new();
	char ids[3][SECRET_TEXT];
	struct session found;
	json_t *file;
	char *text;

	open_one(s, "anna", 10, ids[0]);
	open_one(s, "\xc3\xbc", SESSION_REMEMBER_S, ids[1]);
	open_one(s, "bert", 20, ids[2]);
	file = sessions_encode(s, NOW + 15);
	text = json_dumps(file, 0);
	for (int i = 0; i < 3; i++)
		cr_expect_null(strstr(text, ids[i]));
	cr_expect_eq(sessions_decode(again, file, NOW + 15), 0);
	cr_expect_not(is_open(again, ids[0], NOW), "it was over");
	cr_assert(sessions_find(again, ids[1], NOW + 15, &found));
	cr_expect_str_eq(found.login, "\xc3\xbc");
	struct digest stamp = digest_of("cipher");
	cr_expect(digest_equal(&found.stamp, &stamp));
	cr_expect(is_open(again, ids[2], NOW + 15));
	cr_expect_eq(sessions_decode(again, file, NOW + 15), 2, "twice");
	free(text);
	json_decref(file);
	sessions_free(&s);
	sessions_free(&again);
}

Test(session, a_broken_file_opens_nothing)
{
	static const char *const files[] = {
		"{}", "{\"sessions\":1}", "{\"sessions\":[1,null,[]]}",
		"{\"sessions\":[{\"hash\":\"x\"}]}",
		"{\"sessions\":[{\"id\":\"ab\",\"login\":\"a\",\"stamp\":"
		"\"ab\",\"expires\":1800000010}]}",
		/* sound, but good for longer than any session is */
		"{\"sessions\":[{\"id\":\"e3b0c44298fc1c149afbf4c8996fb92427ae"
		"41e4649b934ca495991b7852b855\",\"login\":\"a\",\"stamp\":\"e3b"
		"0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		"\",\"expires\":9800000010}]}",
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct sessions *s = sessions_new();
		json_t *file = json_loads(files[i], 0, NULL);

		cr_assert_not_null(file);
		(void)sessions_decode(s, file, NOW);
		/* the id in the last one is the digest of "" */
		cr_expect_not(is_open(s, "", NOW), "%s", files[i]);
		json_decref(file);
		sessions_free(&s);
	}
}
