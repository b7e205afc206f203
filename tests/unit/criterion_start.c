/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces the start of libgit2 in the tests.  Criterion starts it in each of
 * its processes, one for each test, and libgit2 reads all certificates of the
 * host then: half the time of a short test under the sanitizers.  Criterion
 * needs libgit2 only to show the lines in which two texts differ, by the
 * assertions of <criterion/new/assert.h>.  No test uses these.
 */

/* of <git2/global.h>, which Criterion does not install */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void)
{
	return 1;
}

int git_libgit2_shutdown(void)
{
	return 0;
}
