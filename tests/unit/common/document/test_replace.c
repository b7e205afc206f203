/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "common/document/replace.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/replace-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/sluice.json", folder);
}

static void tear_down(void)
{
	char command[128];

	(void)snprintf(command, sizeof command, "rm -rf %s", folder);
	(void)!system(command);
}

TestSuite(replace, .init = set_up, .fini = tear_down);

static const char *content(const char *file)
{
	static char text[65536];
	FILE *f = fopen(file, "r");
	size_t n;

	if (f == NULL)
		return NULL;
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

static size_t count_files(void)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	while (readdir(dir) != NULL)
		n++;
	(void)closedir(dir);
	return n - 2;
}

static int put(const char *text, struct errmsg *why)
{
	return replace_file(path, text, strlen(text), why);
}

Test(replace, makes_a_new_file_private)
{
	struct errmsg why = { 0 };
	struct stat st;

	(void)umask(0);
	cr_assert_eq(put("one", &why), 0, "%s", why.text);
	cr_assert_str_eq(content(path), "one");
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600u);
	cr_assert_eq(count_files(), 1u);
}

Test(replace, keeps_owner_and_mode_without_other_users)
{
	struct errmsg why = { 0 };
	struct stat st;

	cr_assert_eq(put("one", &why), 0);
	cr_assert_eq(chmod(path, 0664), 0);
	if (geteuid() == 0)
		cr_assert_eq(chown(path, 12, 34), 0);
	(void)umask(077);
	cr_assert_eq(put("two", &why), 0, "%s", why.text);
	cr_assert_str_eq(content(path), "two");
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0660u);
	if (geteuid() == 0) {
		cr_assert_eq(st.st_uid, 12u);
		cr_assert_eq(st.st_gid, 34u);
	}
}

Test(replace, a_public_file_is_for_all_and_replaces_a_link)
{
	struct errmsg why = { 0 };
	struct stat st;
	char other[sizeof path + 8];

	(void)umask(077);
	cr_assert_eq(replace_public_file(path, "one", 3, &why), 0, "%s",
		     why.text);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0644u);
	cr_assert_eq(chmod(path, 0664), 0);
	cr_assert_eq(replace_public_file(path, "two", 3, &why), 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0664u);
	/* what the link names stays */
	(void)snprintf(other, sizeof other, "%s.other", path);
	cr_assert_eq(rename(path, other), 0);
	cr_assert_eq(symlink(other, path), 0);
	cr_assert_eq(replace_public_file(path, "three", 5, &why), 0);
	cr_assert_str_eq(content(path), "three");
	cr_assert_str_eq(content(other), "two");
	cr_assert_eq(lstat(path, &st), 0);
	cr_assert(S_ISREG(st.st_mode));
	cr_assert_eq(st.st_mode & 07777, 0644u);
}

static bool map_root_alone(void)
{
	char text[64];
	int n = snprintf(text, sizeof text, "0 %u 1", geteuid());
	int fd;

	if (unshare(CLONE_NEWUSER) < 0)
		return false;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		return false;
	(void)close(fd);
	return true;
}

/* As in a rootless container. */
Test(replace, an_owner_without_a_number_is_no_obstacle)
{
	enum { NO_NAMESPACE = 77 };
	struct errmsg why = { 0 };
	int status = -1;
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("needs root to give a file away");
	cr_assert_eq(put("one", &why), 0);
	cr_assert_eq(chmod(folder, 0777), 0);
	cr_assert_eq(chmod(path, 0666), 0);
	cr_assert_eq(chown(path, 12, 34), 0);
	/* only a process of one thread may enter it */
	child = fork();
	if (child == 0)
		_exit(map_root_alone() ? put("two", &why) != 0 : NO_NAMESPACE);
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == NO_NAMESPACE)
		cr_skip_test("no user namespaces");
	cr_assert_eq(status, 0);
	cr_assert_str_eq(content(path), "two");
}

Test(replace, follows_a_link_and_leaves_it)
{
	struct errmsg why = { 0 };
	char link_path[80];
	struct stat st;

	cr_assert_eq(put("one", &why), 0);
	(void)snprintf(link_path, sizeof link_path, "%s/link", folder);
	cr_assert_eq(symlink("sluice.json", link_path), 0);
	cr_assert_eq(replace_file(link_path, "two", 3, &why), 0);
	cr_assert_str_eq(content(path), "two");
	cr_assert_eq(lstat(link_path, &st), 0);
	cr_assert(S_ISLNK(st.st_mode));
}

Test(replace, makes_the_target_of_a_link_that_leads_nowhere_yet)
{
	struct errmsg why = { 0 };
	char first[80], second[80];
	struct stat st;

	(void)snprintf(first, sizeof first, "%s/first", folder);
	(void)snprintf(second, sizeof second, "%s/second", folder);
	cr_assert_eq(symlink("second", first), 0);
	cr_assert_eq(symlink(path, second), 0);
	cr_assert_eq(replace_file(first, "one", 3, &why), 0, "%s", why.text);
	cr_assert_str_eq(content(path), "one");
	cr_assert_eq(lstat(first, &st), 0);
	cr_assert(S_ISLNK(st.st_mode));
	cr_assert_eq(lstat(second, &st), 0);
	cr_assert(S_ISLNK(st.st_mode));
}

Test(replace, removes_the_files_of_a_killed_process)
{
	struct errmsg why = { 0 };
	char left[80];

	(void)snprintf(left, sizeof left, "%s/.sluice.json.new", folder);
	/* a link in its place must not be followed */
	cr_assert_eq(symlink("/dev/null", left), 0);
	cr_assert_eq(put("one", &why), 0, "%s", why.text);
	cr_assert_str_eq(content(path), "one");
	cr_assert_eq(count_files(), 1u);
}

Test(replace, names_the_missing_folder)
{
	struct errmsg why = { 0 };

	cr_assert_eq(rmdir(folder), 0);
	cr_assert_eq(put("one", &why), -ENOENT);
	cr_assert_not_null(strstr(why.text, "cannot create /tmp/replace-"));
	cr_assert_not_null(strstr(why.text, "No such file or directory"));
}

/* 20,000 bytes over a file of three that must stay as it is. */
static void fail_to_grow(int expected)
{
	static char big[20000];
	struct errmsg why = { 0 };

	memset(big, 'x', sizeof big);
	cr_assert_eq(replace_file(path, big, sizeof big, &why), expected,
		     "%s", why.text);
	cr_assert_not_null(strstr(why.text, "cannot write "), "%s", why.text);
	cr_assert_str_eq(content(path), "old");
	cr_assert_eq(count_files(), 1u, "something was left behind");
}

Test(replace, leaves_the_old_file_when_the_new_one_may_not_grow)
{
	struct errmsg why = { 0 };

	cr_assert_eq(put("old", &why), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE,
			       &(struct rlimit){ 10000, 10000 }), 0);
	fail_to_grow(-EFBIG);
}

/* A file system of 16 KiB in a mount namespace of our own. */
static bool mount_tiny(void)
{
	return (unshare(CLONE_NEWNS) == 0 ||
		unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", folder, "tmpfs", 0, "size=16k") == 0;
}

Test(replace, leaves_the_old_file_when_the_disk_is_full)
{
	struct errmsg why = { 0 };

	if (!mount_tiny())
		cr_skip_test("no right to mount");
	cr_assert_eq(put("old", &why), 0, "%s", why.text);
	fail_to_grow(-ENOSPC);
	cr_assert_eq(put("new", &why), 0, "%s", why.text);
	cr_assert_str_eq(content(path), "new");
	cr_assert_eq(umount(folder), 0);
}

Test(replace, leaves_the_old_file_when_the_folder_is_read_only)
{
	struct errmsg why = { 0 };

	if (!mount_tiny())
		cr_skip_test("no right to mount");
	cr_assert_eq(put("old", &why), 0, "%s", why.text);
	cr_assert_eq(mount(NULL, folder, NULL, MS_REMOUNT | MS_RDONLY, NULL),
		     0);
	cr_assert_eq(put("new", &why), -EROFS);
	cr_assert_str_eq(content(path), "old");
	cr_assert_eq(umount(folder), 0);
}
