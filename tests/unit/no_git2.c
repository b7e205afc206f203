/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The libgit2 of the tests.  Criterion needs it only to show the lines in which
 * two texts differ, by the assertions of <criterion/new/assert.h>, which no
 * test uses.  Each test is a process, and the real one loads sixteen libraries
 * and all certificates of the host: a fifth and more of a short test under the
 * sanitizers.
 */

/* as <git2.h> declares them, which criterion does not install */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void)
{
	return 1;
}

int git_libgit2_shutdown(void)
{
	return 0;
}

/* The real one has parameters.  This one ignores them: it always fails. */
int git_diff_buffers(void)
{
	return -1;
}
