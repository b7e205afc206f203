/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a program whose system calls of one kind the kernel refuses.
 *
 *	refuse-call KIND PROGRAM [ARGUMENT ...]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct kind {
	const char *name;
	unsigned calls[2];
	unsigned error;
} kinds[] = {
	/* as on a kernel without Landlock */
	{ "landlock",
	  { SYS_landlock_create_ruleset, SYS_landlock_create_ruleset },
	  ENOSYS },
	/* as under ProtectClock= of systemd */
	{ "clock", { SYS_adjtimex, SYS_clock_adjtime }, EPERM },
	/* success without an answer: the clock is synchronised */
	{ "clock-state", { SYS_adjtimex, SYS_clock_adjtime }, 0 },
};

static int refuse(const struct kind *kind)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kind->calls[0], 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kind->calls[1], 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | kind->error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof rules / sizeof *rules, rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (argc < 3 || strcmp(argv[1], kinds[i].name) != 0)
			continue;
		if (refuse(&kinds[i]) == 0)
			(void)execvp(argv[2], argv + 2);
		perror(argv[2]);
		return 2;
	}
	(void)fprintf(stderr, "usage: refuse-call KIND PROGRAM ...\n");
	return 2;
}
