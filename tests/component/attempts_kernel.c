/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attempts on the kernel, and by its less known doors. */
#include "proto/ipc/contract.h"
#include "tests/component/attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/quota.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum {
	/* younger than Debian 12's headers */
	CALL_MSEAL = 462,
	CALL_SETXATTRAT = 463,
	CALL_X32 = 0x40000000,
};

/* --- files by other calls --- */

static long open_config_by_openat2(const struct bench *b)
{
	struct open_how how = { .flags = O_RDWR };

	return syscall(SYS_openat2, AT_FDCWD, b->config, &how, sizeof how);
}

static long open_config_by_handle(const struct bench *b)
{
	struct {
		struct file_handle head;
		unsigned char space[MAX_HANDLE_SZ];
	} handle = { .head = { .handle_bytes = MAX_HANDLE_SZ } };
	int mount;

	return name_to_handle_at(AT_FDCWD, b->config, &handle.head, &mount, 0);
}

static long truncate_config(const struct bench *b)
{
	return truncate(b->config, 0);
}

static long touch_config(const struct bench *b)
{
	return utimensat(AT_FDCWD, b->config, NULL, 0);
}

static long own_config(const struct bench *b)
{
	return chown(b->config, getuid(), getgid());
}

static long mark_config(const struct bench *b)
{
	return setxattr(b->config, "user.x", "x", 1, 0);
}

static long watch_config(const struct bench *b)
{
	int fd = inotify_init1(0);

	return fd < 0 ? -1 : inotify_add_watch(fd, b->config, IN_OPEN);
}

static long watch_all_files(const struct bench *b)
{
	(void)b;
	return fanotify_init(FAN_CLASS_NOTIF, O_RDONLY);
}

static long remove_config_by_unlinkat(const struct bench *b)
{
	return unlinkat(AT_FDCWD, b->config, 0);
}

static long move_config(const struct bench *b)
{
	return renameat(AT_FDCWD, b->config, AT_FDCWD, b->clip);
}

static long make_folder(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/folder", b->media);
	return mkdir(path, 0700);
}

static long make_pipe(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/pipe", b->media);
	return mkfifo(path, 0600);
}

static long change_folder(const struct bench *b)
{
	return chdir(b->state);
}

static long write_own_memory_file(const struct bench *b)
{
	(void)b;
	return open("/proc/self/mem", O_RDWR);
}

static long raise_oom_score(const struct bench *b)
{
	(void)b;
	return open("/proc/self/oom_score_adj", O_RDWR);
}

static long read_kernel_memory(const struct bench *b)
{
	(void)b;
	return open("/dev/mem", O_RDONLY);
}

static long read_core_pattern(const struct bench *b)
{
	(void)b;
	return open("/proc/sys/kernel/core_pattern", O_RDONLY);
}

static long open_cgroup(const struct bench *b)
{
	(void)b;
	return open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
}

static long open_terminal(const struct bench *b)
{
	(void)b;
	return open("/dev/ptmx", O_RDWR);
}

/* --- other processes --- */

static long signal_all(const struct bench *b)
{
	(void)b;
	return kill(-1, 0);
}

static long signal_group(const struct bench *b)
{
	(void)b;
	return kill(0, 0);
}

static long signal_by_tkill(const struct bench *b)
{
	return syscall(SYS_tkill, b->master, 0);
}

static long compare_with_master(const struct bench *b)
{
	return syscall(SYS_kcmp, b->master, getpid(), 0, 0, 0);
}

static long advise_memory_of_master(const struct bench *b)
{
	struct iovec all = { NULL, 4096 };

	return syscall(SYS_process_madvise, b->ring, &all, 1, MADV_COLD, 0);
}

static long move_pages_of_master(const struct bench *b)
{
	return syscall(SYS_move_pages, b->master, 0, NULL, NULL, NULL, 0);
}

static long move_master_to_cpu(const struct bench *b)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return sched_setaffinity(b->master, sizeof set, &set);
}

static long find_locks_of_master(const struct bench *b)
{
	void *head;
	size_t len;

	return syscall(SYS_get_robust_list, b->master, &head, &len);
}

static long delay_disk_of_master(const struct bench *b)
{
	return syscall(SYS_ioprio_set, 1, b->master, 0);
}

static long make_daemon(const struct bench *b)
{
	(void)b;
	return setsid();
}

static long outlive_master(const struct bench *b)
{
	(void)b;
	return prctl(PR_SET_PDEATHSIG, 0);
}

static long become_reaper(const struct bench *b)
{
	(void)b;
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* --- rights --- */

static long become_root(const struct bench *b)
{
	(void)b;
	return setresuid(0, 0, 0);
}

static long join_group(const struct bench *b)
{
	gid_t group = 0;

	(void)b;
	return setgroups(1, &group);
}

static long take_capabilities(const struct bench *b)
{
	uint32_t head[2] = { 0x20080522, 0 }, caps[6] = { 0 };

	(void)b;
	return syscall(SYS_capset, head, caps);
}

static long raise_files(const struct bench *b)
{
	struct rlimit more = { RLIM_INFINITY, RLIM_INFINITY };

	(void)b;
	return setrlimit(RLIMIT_CORE, &more);
}

static long add_filter(const struct bench *b)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, 0x7fff0000 };
	struct sock_fprog program = { 1, &allow };

	(void)b;
	return syscall(SYS_seccomp, 1, 0, &program);
}

static long add_landlock(const struct bench *b)
{
	return syscall(SYS_landlock_restrict_self, b->ring, 0);
}

static long change_mask(const struct bench *b)
{
	(void)b;
	return (long)umask(0);
}

/* --- sockets --- */

/* A datagram socket of a pair can be connected to any other socket, for
 * example to that of the journal or of the service manager. */
static long open_unix_datagrams(const struct bench *b)
{
	int fds[2];

	(void)b;
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
}

static long open_tipc(const struct bench *b)
{
	(void)b;
	return socket(AF_TIPC, SOCK_SEQPACKET, 0);
}

static long open_bluetooth(const struct bench *b)
{
	(void)b;
	return socket(AF_BLUETOOTH, SOCK_RAW, 0);
}

static long open_sctp(const struct bench *b)
{
	(void)b;
	return socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP);
}

static long open_multipath(const struct bench *b)
{
	enum { MULTIPATH = 262 };

	(void)b;
	return socket(AF_INET, SOCK_STREAM, MULTIPATH);
}

static long open_udp_lite(const struct bench *b)
{
	(void)b;
	return socket(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE);
}

static long listen_for_peers(const struct bench *b)
{
	(void)b;
	return listen(WORKER_CHANNEL_FD, 1);
}

static long load_socket_filter(const struct bench *b)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, 1 };
	struct sock_fprog program = { 1, &allow };

	(void)b;
	return setsockopt(WORKER_CHANNEL_FD, SOL_SOCKET, SO_ATTACH_FILTER,
			  &program, sizeof program);
}

/* Denied with another error than that of the wrong socket. */
static long layer_tcp(const struct bench *b)
{
	(void)b;
	return setsockopt(WORKER_CHANNEL_FD, IPPROTO_TCP, TCP_ULP, "tls", 3);
}

static long type_into_terminal(const struct bench *b)
{
	char letter = 'x';

	(void)b;
	return ioctl(STDERR_FILENO, TIOCSTI, &letter);
}

static long send_signals_by_ioctl(const struct bench *b)
{
	int pid = (int)b->master;

	return ioctl(WORKER_CHANNEL_FD, FIOSETOWN, &pid);
}

/* --- the kernel --- */

static long open_secret_memory(const struct bench *b)
{
	(void)b;
	return syscall(SYS_memfd_secret, 0);
}

static long make_code_by_pkey(const struct bench *b)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)b;
	return syscall(SYS_pkey_mprotect, at, 4096, PROT_READ | PROT_EXEC, -1);
}

static long run_ring(const struct bench *b)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			b->ring, 0);

	return at == MAP_FAILED ? -1 : 0;
}

static long seal_memory(const struct bench *b)
{
	(void)b;
	return syscall(CALL_MSEAL, NULL, 0, 0);
}

static long share_memory(const struct bench *b)
{
	(void)b;
	return shmget(IPC_PRIVATE, 4096, 0600);
}

static long open_queue(const struct bench *b)
{
	(void)b;
	return syscall(SYS_msgget, IPC_PRIVATE, 0600);
}

static long open_named_queue(const struct bench *b)
{
	(void)b;
	return syscall(SYS_mq_open, "x", O_RDWR | O_CREAT, 0600, NULL);
}

static long load_module(const struct bench *b)
{
	return syscall(SYS_finit_module, b->ring, "", 0);
}

static long load_kernel(const struct bench *b)
{
	return syscall(SYS_kexec_file_load, b->ring, -1, 0, NULL, 4);
}

static long restart_machine(const struct bench *b)
{
	/* a wrong magic number: harmless where it is not denied */
	(void)b;
	return syscall(SYS_reboot, 0, 0, 0, NULL) == 0 || errno == EINVAL
		       ? 0 : -1;
}

static long read_kernel_log(const struct bench *b)
{
	char text[16];

	(void)b;
	return klogctl(3, text, sizeof text);
}

static long swap_to_file(const struct bench *b)
{
	return swapon(b->clip, 0);
}

static long ask_quota(const struct bench *b)
{
	return quotactl(QCMD(Q_SYNC, USRQUOTA), b->media, 0, NULL);
}

static long adjust_clock(const struct bench *b)
{
	struct timex none = { 0 };

	(void)b;
	return adjtimex(&none);
}

static long name_host(const struct bench *b)
{
	(void)b;
	return sethostname("x", 1);
}

static long open_tree(const struct bench *b)
{
	enum { CLONE = 1 };

	return syscall(SYS_open_tree, AT_FDCWD, b->media, CLONE);
}

static long open_file_system(const struct bench *b)
{
	(void)b;
	return syscall(SYS_fsopen, "tmpfs", 0);
}

static long take_memory(const struct bench *b)
{
	void *at = mmap(NULL, (size_t)8 << 30, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)b;
	return at == MAP_FAILED ? -1 : 0;
}

static long begin_timer(const struct bench *b)
{
	timer_t timer;

	(void)b;
	return syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &timer);
}

static long call_x32(const struct bench *b)
{
	(void)b;
	return syscall(CALL_X32 + SYS_getpid);
}

static long call_unknown(const struct bench *b)
{
	(void)b;
	return syscall(CALL_SETXATTRAT, AT_FDCWD, "/", 0, "user.x", NULL, 0);
}

const struct attempt attempts_kernel[] = {
	ATTEMPT(open_config_by_openat2, 0),
	ATTEMPT(open_config_by_handle, 0),
	ATTEMPT(truncate_config, 0),
	ATTEMPT(touch_config, 0),
	ATTEMPT(own_config, 0),
	ATTEMPT(mark_config, 0),
	ATTEMPT(watch_config, 0),
	ATTEMPT(watch_all_files, 0),
	ATTEMPT(remove_config_by_unlinkat, FILES),
	ATTEMPT(move_config, FILES),
	ATTEMPT(make_folder, FILES),
	ATTEMPT(make_pipe, FILES),
	ATTEMPT(change_folder, 0),
	ATTEMPT(write_own_memory_file, FILES),
	ATTEMPT(raise_oom_score, FILES),
	ATTEMPT(read_kernel_memory, FILES),
	ATTEMPT(read_core_pattern, FILES),
	ATTEMPT(open_cgroup, FILES),
	ATTEMPT(open_terminal, FILES),
	ATTEMPT(signal_all, 0),
	ATTEMPT(signal_group, 0),
	ATTEMPT(signal_by_tkill, 0),
	ATTEMPT(compare_with_master, FILES),
	ATTEMPT(advise_memory_of_master, 0),
	ATTEMPT(move_pages_of_master, 0),
	ATTEMPT(move_master_to_cpu, 0),
	ATTEMPT(find_locks_of_master, FILES),
	ATTEMPT(delay_disk_of_master, 0),
	ATTEMPT(make_daemon, 0),
	ATTEMPT(outlive_master, 0),
	ATTEMPT(become_reaper, 0),
	ATTEMPT(become_root, 0),
	ATTEMPT(join_group, 0),
	ATTEMPT(take_capabilities, 0),
	ATTEMPT(raise_files, 0),
	ATTEMPT(add_filter, 0),
	ATTEMPT(add_landlock, 0),
	ATTEMPT(change_mask, 0),
	ATTEMPT(open_unix_datagrams, 0),
	ATTEMPT(open_tipc, 0),
	ATTEMPT(open_bluetooth, 0),
	ATTEMPT(open_sctp, 0),
	ATTEMPT(open_multipath, 0),
	ATTEMPT(open_udp_lite, 0),
	ATTEMPT(listen_for_peers, 0),
	ATTEMPT(load_socket_filter, TCP),
	ATTEMPT(layer_tcp, 0),
	ATTEMPT(type_into_terminal, 0),
	ATTEMPT(send_signals_by_ioctl, 0),
	ATTEMPT(open_secret_memory, 0),
	ATTEMPT(make_code_by_pkey, 0),
	ATTEMPT(run_ring, 0),
	ATTEMPT(seal_memory, 0),
	ATTEMPT(share_memory, 0),
	ATTEMPT(open_queue, 0),
	ATTEMPT(open_named_queue, 0),
	ATTEMPT(load_module, 0),
	ATTEMPT(load_kernel, 0),
	ATTEMPT(restart_machine, 0),
	ATTEMPT(read_kernel_log, 0),
	ATTEMPT(swap_to_file, 0),
	ATTEMPT(ask_quota, 0),
	ATTEMPT(adjust_clock, 0),
	ATTEMPT(name_host, 0),
	ATTEMPT(open_tree, 0),
	ATTEMPT(open_file_system, 0),
	ATTEMPT(begin_timer, 0),
	ATTEMPT(take_memory, 0),
	ATTEMPT(call_x32, 0),
	ATTEMPT(call_unknown, 0),
	{ 0 },
};
