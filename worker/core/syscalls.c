/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/syscalls.h"

#include "common/base/log.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "worker/core/kernel_tls.h"
#include "worker/core/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dvb/ca.h>
#include <linux/dvb/dmx.h>
#include <linux/dvb/frontend.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ALWAYS = 0,
	SOCKETS = NEED_UDP | NEED_TCP,
	/* Calls that ask about files.  They fail in the other roles, so that a
	 * path without a rule is an error of the input or output that names it
	 * and does not end the process. */
	QUESTIONS = NEED_FILES | NEED_NAMES,
};

/* The allowed system calls.  A role may make a call if it has one of its
 * needs. */
static const struct {
	int call;
	unsigned needs;
} calls[] = {
	/* memory */
	{ SCMP_SYS(brk), ALWAYS },
	{ SCMP_SYS(madvise), ALWAYS },
	{ SCMP_SYS(mremap), ALWAYS },
	{ SCMP_SYS(munmap), ALWAYS },
	/* time, waiting */
	{ SCMP_SYS(clock_getres), ALWAYS },
	{ SCMP_SYS(clock_gettime), ALWAYS },
	{ SCMP_SYS(clock_nanosleep), ALWAYS },
	{ SCMP_SYS(epoll_create1), ALWAYS },
	{ SCMP_SYS(epoll_ctl), ALWAYS },
	{ SCMP_SYS(epoll_pwait), ALWAYS },
	{ SCMP_SYS(epoll_wait), ALWAYS },
	{ SCMP_SYS(eventfd2), ALWAYS },
	{ SCMP_SYS(futex), ALWAYS },
	{ SCMP_SYS(gettimeofday), ALWAYS },
	{ SCMP_SYS(nanosleep), ALWAYS },
	{ SCMP_SYS(poll), ALWAYS },
	{ SCMP_SYS(ppoll), ALWAYS },
	{ SCMP_SYS(pselect6), ALWAYS },
	{ SCMP_SYS(restart_syscall), ALWAYS },
	{ SCMP_SYS(sched_yield), ALWAYS },
	{ SCMP_SYS(select), ALWAYS },
	{ SCMP_SYS(time), ALWAYS },
	{ SCMP_SYS(timerfd_create), ALWAYS },
	{ SCMP_SYS(timerfd_gettime), ALWAYS },
	{ SCMP_SYS(timerfd_settime), ALWAYS },
	/* the process itself */
	{ SCMP_SYS(exit), ALWAYS },
	{ SCMP_SYS(exit_group), ALWAYS },
	{ SCMP_SYS(getegid), ALWAYS },
	{ SCMP_SYS(geteuid), ALWAYS },
	{ SCMP_SYS(getgid), ALWAYS },
	{ SCMP_SYS(getpid), ALWAYS },
	{ SCMP_SYS(getppid), ALWAYS },
	{ SCMP_SYS(getrandom), ALWAYS },
	{ SCMP_SYS(getrusage), ALWAYS },
	{ SCMP_SYS(gettid), ALWAYS },
	{ SCMP_SYS(getuid), ALWAYS },
	{ SCMP_SYS(rt_sigpending), ALWAYS },
	{ SCMP_SYS(rt_sigprocmask), ALWAYS },
	{ SCMP_SYS(rt_sigreturn), ALWAYS },
	{ SCMP_SYS(rt_sigtimedwait), ALWAYS },
	{ SCMP_SYS(sched_getaffinity), ALWAYS },
	{ SCMP_SYS(sigaltstack), ALWAYS },
	{ SCMP_SYS(sysinfo), ALWAYS },
	{ SCMP_SYS(uname), ALWAYS },
	/* descriptors that are open */
	{ SCMP_SYS(close), ALWAYS },
	{ SCMP_SYS(fadvise64), ALWAYS },
	{ SCMP_SYS(fstat), ALWAYS },
	{ SCMP_SYS(lseek), ALWAYS },
	{ SCMP_SYS(newfstatat), ALWAYS },
	{ SCMP_SYS(pread64), ALWAYS },
	{ SCMP_SYS(pwrite64), ALWAYS },
	{ SCMP_SYS(pwritev), ALWAYS },
	{ SCMP_SYS(pwritev2), ALWAYS },
	{ SCMP_SYS(read), ALWAYS },
	{ SCMP_SYS(readv), ALWAYS },
	{ SCMP_SYS(write), ALWAYS },
	{ SCMP_SYS(writev), ALWAYS },
	/* messages, and sockets that are open */
	{ SCMP_SYS(getpeername), ALWAYS },
	{ SCMP_SYS(getsockname), ALWAYS },
	{ SCMP_SYS(getsockopt), ALWAYS },
	{ SCMP_SYS(recvfrom), ALWAYS },
	{ SCMP_SYS(recvmmsg), ALWAYS },
	{ SCMP_SYS(recvmsg), ALWAYS },
	{ SCMP_SYS(sendmmsg), ALWAYS },
	{ SCMP_SYS(sendmsg), ALWAYS },
	{ SCMP_SYS(sendto), ALWAYS },
	{ SCMP_SYS(shutdown), ALWAYS },
	/* threads */
	{ SCMP_SYS(get_robust_list), NEED_THREADS },
	{ SCMP_SYS(rseq), NEED_THREADS },
	{ SCMP_SYS(sched_get_priority_max), NEED_THREADS },
	{ SCMP_SYS(sched_get_priority_min), NEED_THREADS },
	{ SCMP_SYS(sched_getparam), NEED_THREADS },
	{ SCMP_SYS(sched_getscheduler), NEED_THREADS },
	{ SCMP_SYS(set_robust_list), NEED_THREADS },
	/* files */
	{ SCMP_SYS(access), QUESTIONS },
	{ SCMP_SYS(faccessat), QUESTIONS },
	{ SCMP_SYS(faccessat2), QUESTIONS },
	{ SCMP_SYS(fstatfs), QUESTIONS },
	{ SCMP_SYS(getcwd), QUESTIONS },
	{ SCMP_SYS(getdents64), QUESTIONS },
	{ SCMP_SYS(lstat), QUESTIONS },
	{ SCMP_SYS(readlink), QUESTIONS },
	{ SCMP_SYS(readlinkat), QUESTIONS },
	{ SCMP_SYS(stat), QUESTIONS },
	{ SCMP_SYS(statfs), QUESTIONS },
	{ SCMP_SYS(statx), QUESTIONS },
	/* recordings */
	{ SCMP_SYS(fallocate), NEED_RECORD },
	{ SCMP_SYS(fdatasync), NEED_RECORD },
	{ SCMP_SYS(flock), NEED_RECORD },
	{ SCMP_SYS(fsync), NEED_RECORD },
	{ SCMP_SYS(ftruncate), NEED_RECORD },
	{ SCMP_SYS(sync_file_range), NEED_RECORD },
	{ SCMP_SYS(unlinkat), NEED_RECORD },
	/* sockets */
	{ SCMP_SYS(bind), SOCKETS | NEED_DEVICES },
	{ SCMP_SYS(connect), SOCKETS },
	/* calls of libraries */
	{ SCMP_SYS(dup), NEED_NAMES },
	{ SCMP_SYS(dup2), NEED_NAMES },
	{ SCMP_SYS(dup3), NEED_NAMES },
	{ SCMP_SYS(epoll_create), NEED_NAMES },
	{ SCMP_SYS(pipe), NEED_NAMES },
	/* the timer by which a process limits its own time */
	{ SCMP_SYS(setitimer), NEED_CLOCK },
	/* viewers */
	{ SCMP_SYS(accept4), NEED_VIEWERS | NEED_ACCEPT },
	{ SCMP_SYS(pipe2), NEED_VIEWERS | NEED_NAMES },
	{ SCMP_SYS(sendfile), NEED_VIEWERS },
	{ SCMP_SYS(splice), NEED_VIEWERS },
	{ SCMP_SYS(tee), NEED_VIEWERS },
};

/* The commands of fcntl() that are allowed. */
static const unsigned long controls[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
	F_SETPIPE_SZ, F_GETPIPE_SZ, F_GET_SEALS,
	/* SIGIO, which every process of the service ignores or waits for */
	F_SETOWN_EX,
};

static const unsigned long requests[] = {
	FIONBIO, FIONREAD, SIOCOUTQ, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFINDEX,
	SIOCGIFNAME, SIOCGIFADDR, SIOCGIFMTU, SIOCGSTAMPNS_NEW,
	SIOCGSTAMPNS_OLD,
};

/* Requests to tuners and to slots of CA modules. */
static const unsigned long device_requests[] = {
	FE_GET_INFO, FE_GET_PROPERTY, FE_SET_PROPERTY, FE_GET_EVENT,
	FE_READ_STATUS, FE_READ_SIGNAL_STRENGTH, FE_READ_SNR, FE_READ_BER,
	FE_READ_UNCORRECTED_BLOCKS, FE_SET_TONE, FE_SET_VOLTAGE,
	FE_DISEQC_SEND_MASTER_CMD, FE_DISEQC_SEND_BURST,
	DMX_SET_PES_FILTER, DMX_SET_BUFFER_SIZE,
	CA_GET_CAP, CA_GET_SLOT_INFO, CA_RESET,
	/* the hardware address of a network card */
	SIOCGIFHWADDR,
};

#define ALLOW(filter, name, ...)                                        \
	seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(name), __VA_ARGS__)
#define FAIL(filter, error, name, ...)                                  \
	seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), SCMP_SYS(name), \
			 __VA_ARGS__)

static int add_calls(scmp_filter_ctx filter, unsigned needs)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_LEN(calls) && err == 0; i++)
		if (calls[i].needs == ALWAYS || (calls[i].needs & needs) != 0)
			err = seccomp_rule_add(filter, SCMP_ACT_ALLOW,
					       calls[i].call, 0);
		else if (calls[i].needs == QUESTIONS)
			err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES),
					       calls[i].call, 0);
	for (size_t i = 0; i < ARRAY_LEN(controls) && err == 0; i++)
		err = ALLOW(filter, fcntl, 1,
			    SCMP_A1(SCMP_CMP_EQ, controls[i]));
	for (size_t i = 0; i < ARRAY_LEN(requests) && err == 0; i++)
		err = ALLOW(filter, ioctl, 1,
			    SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX,
				    requests[i]));
	/* reads properties of a network device; to change them needs a
	 * capability */
	if (err == 0 && (needs & NEED_VIEWERS))
		err = ALLOW(filter, ioctl, 1,
			    SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX,
				    SIOCETHTOOL));
	for (size_t i = 0; i < ARRAY_LEN(device_requests) && err == 0 &&
			   (needs & NEED_DEVICES); i++)
		err = ALLOW(filter, ioctl, 1,
			    SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX,
				    device_requests[i]));
	/* isatty(), which the C library calls for its streams, gets ENOTTY */
	return err == 0 ? FAIL(filter, ENOTTY, ioctl, 1,
			       SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, TCGETS))
			: err;
}

/* Allows memory that is not executable.  Code in memory cannot be changed or
 * added. */
static int add_memory(scmp_filter_ctx filter)
{
	int err = ALLOW(filter, mmap, 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));

	if (err == 0)
		err = ALLOW(filter, mprotect, 1,
			    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	/* a module of the name service asks for it and does without */
	if (err == 0)
		err = FAIL(filter, EPERM, mmap, 1,
			   SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	if (err == 0)
		err = FAIL(filter, EPERM, mprotect, 1,
			   SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	return err;
}

/* Allows signals to and limits of this process only, and threads, but no child
 * processes. */
static int add_process(scmp_filter_ctx filter, unsigned needs)
{
	unsigned long pid = (unsigned long)getpid();
	int err = ALLOW(filter, tgkill, 1, SCMP_A0(SCMP_CMP_EQ, pid));

	if (err == 0)
		err = ALLOW(filter, kill, 1, SCMP_A0(SCMP_CMP_EQ, pid));
	/* the handler of SIGSYS, on_forbidden(), cannot be replaced */
	if (err == 0)
		err = ALLOW(filter, rt_sigaction, 1,
			    SCMP_A0(SCMP_CMP_NE, SIGSYS));
	if (err == 0)
		err = ALLOW(filter, prctl, 1,
			    SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
	if (err == 0)
		err = ALLOW(filter, prctl, 1,
			    SCMP_A0(SCMP_CMP_EQ, PR_GET_NAME));
	/* a thread of librist asks for a higher priority and does without */
	if (err == 0)
		err = FAIL(filter, EPERM, sched_setscheduler, 0);
	if (err == 0)
		err = ALLOW(filter, prlimit64, 2, SCMP_A0(SCMP_CMP_EQ, 0),
			    SCMP_A2(SCMP_CMP_EQ, 0));
	if (err == 0)
		err = ALLOW(filter, getrlimit, 0);
	/* Landlock rules are made before this filter only */
	if (err == 0)
		err = FAIL(filter, EPERM, landlock_create_ruleset, 0);
	if (err == 0)
		err = FAIL(filter, EPERM, landlock_add_rule, 0);
	if (err == 0 && (needs & NEED_THREADS))
		err = ALLOW(filter, clone, 1,
			    SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD,
				    CLONE_THREAD));
	/* the flags of clone3() are in memory, where the filter cannot read
	 * them; on ENOSYS the C library calls clone() */
	if (err == 0 && (needs & NEED_THREADS))
		err = FAIL(filter, ENOSYS, clone3, 0);
	return err;
}

/* Allows to open files, for writing only recordings and tuners.  Otherwise a
 * descriptor of a ring for reading could be opened again for writing. */
static int add_files(scmp_filter_ctx filter, unsigned needs)
{
	const unsigned long write = O_ACCMODE | O_CREAT | O_TRUNC;
	int err;

	if ((needs & (NEED_FILES | NEED_NAMES | NEED_THREADS)) == 0) {
		err = FAIL(filter, EACCES, openat, 0);
		return err == 0 ? FAIL(filter, EACCES, open, 0) : err;
	}
	/* before version 3, Landlock cannot deny to truncate what it allows to
	 * read; the recorder truncates by descriptor */
	if (needs & NEED_RECORD)
		return ALLOW(filter, openat, 1,
			     SCMP_A2(SCMP_CMP_MASKED_EQ, O_TRUNC, 0));
	err = ALLOW(filter, openat, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, write, 0));
	if (err == 0)
		err = ALLOW(filter, open, 1,
			    SCMP_A1(SCMP_CMP_MASKED_EQ, write, 0));
	if (err == 0 && (needs & NEED_DEVICES))
		err = ALLOW(filter, openat, 1,
			    SCMP_A2(SCMP_CMP_MASKED_EQ, write, O_RDWR));
	/* a library names its thread: the C library opens a file of /proc, and
	 * does without */
	else if (err == 0)
		err = FAIL(filter, EACCES, openat, 1,
			   SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDWR));
	/* the log opens standard error again, and works without it */
	return err == 0 ? FAIL(filter, EACCES, openat, 1,
			       SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE,
				       O_WRONLY))
			: err;
}

/* Allows sockets of a family and type, with the usual protocol only. */
static int add_socket(scmp_filter_ctx filter, unsigned long family, int type,
		      unsigned long protocol)
{
	/* a mask that ignores SOCK_NONBLOCK and SOCK_CLOEXEC */
	const unsigned long types = 0xf;
	const unsigned long protocols[] = { 0, protocol };
	int err = 0;

	for (size_t i = 0; i < ARRAY_LEN(protocols) && err == 0; i++)
		err = ALLOW(filter, socket, 3, SCMP_A0(SCMP_CMP_EQ, family),
			    SCMP_A1(SCMP_CMP_MASKED_EQ, types,
				    (unsigned long)type),
			    SCMP_A2(SCMP_CMP_EQ, protocols[i]));
	return err;
}

static int add_sockets(scmp_filter_ctx filter, unsigned needs)
{
	static const unsigned long families[] = { AF_INET, AF_INET6 };
	static const unsigned long pairs[] = { SOCK_STREAM, SOCK_SEQPACKET };
	int err = 0;

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		if (err == 0 && (needs & NEED_UDP))
			err = add_socket(filter, families[i], SOCK_DGRAM,
					 IPPROTO_UDP);
		if (err == 0 && (needs & NEED_TCP))
			err = add_socket(filter, families[i], SOCK_STREAM,
					 IPPROTO_TCP);
	}
	/* protocol 0 is NETLINK_ROUTE: interfaces and routes */
	if (err == 0 && (needs & SOCKETS))
		err = ALLOW(filter, socket, 2,
			    SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
			    SCMP_A2(SCMP_CMP_EQ, 0));
	/* events about devices that are plugged or unplugged */
	if (err == 0 && (needs & NEED_DEVICES))
		err = ALLOW(filter, socket, 2,
			    SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
			    SCMP_A2(SCMP_CMP_EQ, NETLINK_KOBJECT_UEVENT));
	/* the C library tries a Unix socket for a name service or for requests
	 * about interfaces, and then takes another socket */
	if (err == 0 && (needs & SOCKETS))
		err = FAIL(filter, EAFNOSUPPORT, socket, 1,
			   SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
	/* pairs of connected sockets, but not of datagram sockets, which could
	 * reach the sockets of other services */
	for (size_t i = 0; i < ARRAY_LEN(pairs) && err == 0 &&
			   (needs & (NEED_NAMES | NEED_VIEWERS)); i++)
		err = ALLOW(filter, socketpair, 2,
			    SCMP_A0(SCMP_CMP_EQ, AF_UNIX),
			    SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, pairs[i]));
	return err;
}

static bool has_any(const unsigned long *list, unsigned long from,
		    unsigned long size)
{
	while (*list != 0 && *list < from)
		list++;
	return *list != 0 && *list < from + size;
}

/* Allows all options of a level below end, a power of 2, except those in
 * skipped (ascending, ended by 0).  Each rule is of an aligned block of
 * options, so there are few rules. */
static int add_level(scmp_filter_ctx filter, unsigned long level,
		     unsigned long end, const unsigned long *skipped)
{
	unsigned long size;
	int err = 0;

	for (unsigned long at = 0; at < end && err == 0; at += size) {
		size = 1;
		while (at % (2 * size) == 0 && 2 * size < end &&
		       !has_any(skipped, at, 2 * size))
			size *= 2;
		if (!has_any(skipped, at, size))
			err = ALLOW(filter, setsockopt, 2,
				    SCMP_A1(SCMP_CMP_EQ, level),
				    SCMP_A2(SCMP_CMP_MASKED_EQ,
					    UINT32_MAX & ~(size - 1), at));
	}
	return err;
}

/* Allows socket options, except those that load code into the kernel or put
 * another protocol on top of TCP. */
static int add_options(scmp_filter_ctx filter, unsigned needs)
{
	static const unsigned long levels[] = { IPPROTO_IP, IPPROTO_IPV6,
						SOL_UDP, SOL_NETLINK };
	static const unsigned long code[] = {
		SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF,
		SO_ATTACH_REUSEPORT_EBPF, 0
	};
	static const unsigned long layers[] = { TCP_REPAIR, TCP_ULP, 0 };
	bool tls = (needs & NEED_TLS) && kernel_tls_exists();
	int err = add_level(filter, SOL_SOCKET, 128, code);

	if (err == 0)
		err = add_level(filter, IPPROTO_TCP, 64, layers);
	for (size_t i = 0; i < ARRAY_LEN(levels) && err == 0; i++)
		err = ALLOW(filter, setsockopt, 1,
			    SCMP_A1(SCMP_CMP_EQ, levels[i]));
	/* TLS of the kernel, if an administrator has loaded its module */
	if (err == 0 && tls)
		err = ALLOW(filter, setsockopt, 2,
			    SCMP_A1(SCMP_CMP_EQ, IPPROTO_TCP),
			    SCMP_A2(SCMP_CMP_EQ, TCP_ULP));
	if (err == 0 && tls)
		err = ALLOW(filter, setsockopt, 1,
			    SCMP_A1(SCMP_CMP_EQ, SOL_TLS));
	/* the packet filter in front of librist (rist_guard.c) */
	if (err == 0 && (needs & NEED_NAMES))
		err = ALLOW(filter, setsockopt, 2,
			    SCMP_A1(SCMP_CMP_EQ, SOL_SOCKET),
			    SCMP_A2(SCMP_CMP_EQ, SO_ATTACH_FILTER));
	return err;
}

/* Names a forbidden call in the log and ends the process. */
static void on_forbidden(int signal, siginfo_t *info, void *context)
{
	char *name = seccomp_syscall_resolve_num_arch(info->si_arch,
						      info->si_syscall);
	char line[256];
	int len;

	(void)context;
	len = snprintf(line, sizeof line,
		       "{\"type\": \"worker.log\", \"body\": {"
		       "\"level\": \"error\", \"component\": \"worker\", "
		       "\"text\": \"forbidden system call: %s (%d)\"}}",
		       name != NULL ? name : "unknown", info->si_syscall);
	(void)send(WORKER_CHANNEL_FD, line, (size_t)len,
		   MSG_DONTWAIT | MSG_NOSIGNAL);
	/* SIGSYS is blocked in its handler: another forbidden call ends the
	 * process with this signal */
	(void)syscall(SCMP_SYS(ptrace), signal, 0, 0, 0);
	_exit(128 + SIGSYS);
}

int syscalls_confine(unsigned needs)
{
	struct sigaction report = { .sa_sigaction = on_forbidden,
				    .sa_flags = SA_SIGINFO };
	scmp_filter_ctx filter;
	int err;

	if (SANITIZED) {
		log_debug("worker", "built with sanitizers: system calls are "
				    "not filtered");
		return 0;
	}
	if (sigaction(SIGSYS, &report, NULL) < 0)
		return -errno;
	filter = seccomp_init(SCMP_ACT_TRAP);
	if (filter == NULL)
		return -ENOMEM;
	err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	/* the default action ends only the calling thread: the others would
	 * continue */
	if (err == 0)
		err = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
				       SCMP_ACT_KILL_PROCESS);
	/* no protection against Speculative Store Bypass: it is only against
	 * other code of this process */
	if (err == 0)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	if (err == 0)
		err = add_calls(filter, needs);
	if (err == 0)
		err = add_memory(filter);
	if (err == 0)
		err = add_process(filter, needs);
	if (err == 0)
		err = add_files(filter, needs);
	if (err == 0)
		err = add_sockets(filter, needs);
	if (err == 0)
		err = add_options(filter, needs);
	if (err == 0)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}
