/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/keyring.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sluice-keyring-XXXXXX";

static void make_folder(void)
{
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
}

static int remove_one(const char *path, const struct stat *stat, int kind,
		      struct FTW *at)
{
	(void)stat, (void)kind, (void)at;
	return remove(path);
}

static void remove_folder(void)
{
	(void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(keyring, .init = make_folder, .fini = remove_folder);

static char *file(void)
{
	char *path;

	cr_assert_geq(asprintf(&path, "%s/sluicectl/sessions.json", folder),
		      0);
	return path;
}

static void holds(const char *url, const char *login, const char *want)
{
	struct errmsg why = { 0 };
	char *session;

	cr_assert_eq(keyring_find(url, login, &session, NULL, &why), 0, "%s",
		     why.text);
	if (want == NULL)
		cr_assert_null(session);
	else
		cr_assert_str_eq(session, want);
	cr_assert_eq(why.text[0], '\0');
	free(session);
}

static void put(const char *url, const char *login, const char *session)
{
	struct errmsg why;

	cr_assert_eq(keyring_put(url, login, session, &why), 0, "%s",
		     why.text);
}

Test(keyring, keeps_sessions_by_service_and_login)
{
	struct errmsg why;

	holds("http://a", NULL, NULL);
	put("http://a", "admin", "1");
	put("http://a", "olga", "2");
	put("http://b", "admin", "3");
	holds("http://a", "admin", "1");
	holds("http://a", "olga", "2");
	holds("http://a", NULL, "2"); /* the last */
	holds("http://b", NULL, "3");
	cr_assert_eq(keyring_put("http://a", "olga", NULL, &why), 0);
	holds("http://a", "olga", NULL);
	holds("http://a", "admin", "1");
}

Test(keyring, is_for_its_owner_alone)
{
	struct errmsg why = { 0 };
	struct stat stat_now;
	char *path = file(), *session;

	put("http://a", "admin", "1");
	cr_assert_eq(stat(path, &stat_now), 0);
	cr_assert_eq(stat_now.st_mode & 07777, 0600);
	cr_assert_eq(chmod(path, 0640), 0);
	cr_assert_eq(keyring_find("http://a", NULL, &session, NULL, &why),
		     -EPERM);
	cr_assert_not_null(strstr(why.text, "chmod 600"));
	free(path);
}

Test(keyring, reports_that_it_is_damaged)
{
	struct errmsg why = { 0 };
	char *path = file(), *session;
	FILE *out;

	put("http://a", "admin", "1");
	out = fopen(path, "w");
	cr_assert_not_null(out);
	cr_assert_geq(fputs("{", out), 0);
	cr_assert_eq(fclose(out), 0);
	cr_assert_eq(keyring_find("http://a", NULL, &session, NULL, &why),
		     -EINVAL);
	cr_assert_not_null(strstr(why.text, "damaged"));
	free(path);
}
