/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/service_user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned kept[] = { CAP_NET_BIND_SERVICE, CAP_NET_RAW };

/* Reduces the capabilities of the process to those in kept, and lets the
 * programs that it starts inherit them. */
static int keep_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[2];
	uint32_t mask = 0;

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		mask |= UINT32_C(1) << kept[i];
	if (syscall(SYS_capget, &head, caps) < 0)
		return -errno;
	mask &= caps[0].permitted;
	caps[0] = (struct __user_cap_data_struct){ mask, mask, mask };
	caps[1] = (struct __user_cap_data_struct){ 0 };
	if (syscall(SYS_capset, &head, caps) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (mask >> kept[i] & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept[i], 0,
			  0) < 0)
			return -errno;
	return 0;
}

int service_user_become(const char *name, struct errmsg *error)
{
	const char *wanted = name != NULL ? name : SERVICE_USER;
	const struct passwd *to;
	int err;

	if (geteuid() != 0 && name == NULL)
		return 0;
	errno = 0;
	to = getpwnam(wanted);
	if (to == NULL && name == NULL)
		return errmsg_fail(error, -ENOENT, "started by root, and there "
				   "is no user " SERVICE_USER ": name a user "
				   "with --user");
	if (to == NULL)
		return errmsg_fail(error, -ENOENT, "--user %s: no such user",
				   wanted);
	if (to->pw_uid == geteuid())
		return 0;
	if (geteuid() != 0)
		return errmsg_fail(error, -EPERM, "--user %s: only root can "
				   "become another user", wanted);
	if (initgroups(to->pw_name, to->pw_gid) < 0 ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    setresgid(to->pw_gid, to->pw_gid, to->pw_gid) < 0 ||
	    setresuid(to->pw_uid, to->pw_uid, to->pw_uid) < 0)
		err = -errno;
	else
		err = keep_capabilities();
	return err < 0 ? errmsg_fail(error, err, "cannot become the user %s: "
				     "%s", wanted, strerror(-err))
		       : 0;
}
