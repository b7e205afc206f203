/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/landlock.h"

#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As struct landlock_ruleset_attr of Landlock version 6.  The kernel headers of
 * Debian 12 have a shorter struct, and lack most of the rights below. */
struct rules {
	uint64_t files;
	uint64_t ports;
	uint64_t scopes;
};

enum {
	VERSION_REFER = 2,
	VERSION_TRUNCATE = 3,
	VERSION_PORTS = 4,
	VERSION_DEVICES = 5,
	VERSION_SCOPES = 6,

	/* bytes of struct rules that a kernel knows before VERSION_PORTS, and
	 * before VERSION_SCOPES */
	SIZE_FILES = sizeof(uint64_t),
	SIZE_PORTS = 2 * sizeof(uint64_t),
};

#define BIT(n) (UINT64_C(1) << (n))
#define FILES_1 (BIT(13) - 1)
#define REFER BIT(13)
#define TRUNCATE BIT(14)
#define IOCTL_DEVICE BIT(15)
#define BIND_TCP BIT(0)
#define CONNECT_TCP BIT(1)
#define SCOPE_ABSTRACT_SOCKETS BIT(0)
#define SCOPE_SIGNALS BIT(1)

/* Rights that a rule for a file, which is no folder, may have. */
#define OF_FILES                                                   \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | \
	 LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | IOCTL_DEVICE)

int landlock_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);

	return version > 0 ? (int)version : 0;
}

static uint64_t files_of(int version)
{
	uint64_t files = FILES_1;

	if (version >= VERSION_REFER)
		files |= REFER;
	if (version >= VERSION_TRUNCATE)
		files |= TRUNCATE;
	if (version >= VERSION_DEVICES)
		files |= IOCTL_DEVICE;
	return files;
}

int landlock_new(bool connects)
{
	int version = landlock_version();
	struct rules rules = {
		.files = files_of(version),
		.ports = connects ? BIND_TCP : BIND_TCP | CONNECT_TCP,
		.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS,
	};
	size_t size = sizeof rules;
	long fd;

	if (version == 0)
		return -ENOSYS;
	if (version < VERSION_PORTS)
		size = SIZE_FILES;
	else if (version < VERSION_SCOPES)
		size = SIZE_PORTS;
	fd = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	return fd < 0 ? -errno : (int)fd;
}

int landlock_allow(int rules, const char *path, enum landlock_use use)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE |
				  LANDLOCK_ACCESS_FS_READ_DIR,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};
	int fd = rule.parent_fd;
	struct stat st;
	int err = 0;

	if (use >= LANDLOCK_DEVICE)
		rule.allowed_access |= LANDLOCK_ACCESS_FS_WRITE_FILE;
	if (use >= LANDLOCK_RECORD)
		rule.allowed_access |= LANDLOCK_ACCESS_FS_MAKE_REG |
				       LANDLOCK_ACCESS_FS_REMOVE_FILE |
				       TRUNCATE;
	rule.allowed_access &= files_of(landlock_version());
	if (fd < 0 || fstat(fd, &st) < 0)
		err = -errno;
	else if (!S_ISDIR(st.st_mode))
		rule.allowed_access &= OF_FILES;
	if (err == 0 && syscall(SYS_landlock_add_rule, rules,
				LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		err = -errno;
	fd_close(&fd);
	return err;
}

int landlock_enforce(int rules)
{
	return syscall(SYS_landlock_restrict_self, rules, 0) < 0 ? -errno : 0;
}
