/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/attempts.h"

#include "common/base/util.h"
#include "proto/ipc/contract.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long read_config(const struct bench *b)
{
	return open(b->config, O_RDONLY);
}

static long write_config(const struct bench *b)
{
	return open(b->config, O_RDWR);
}

static long read_key(const struct bench *b)
{
	return open(b->key, O_RDONLY);
}

static long list_state(const struct bench *b)
{
	return open(b->state, O_RDONLY | O_DIRECTORY);
}

static long write_state(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/sessions.json", b->state);
	return open(path, O_RDWR | O_CREAT, 0600);
}

static long read_other(const struct bench *b)
{
	return open(b->other, O_RDONLY);
}

static long read_config_by_dots(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/../etc/sluice.json", b->media);
	return open(path, O_RDONLY);
}

static long read_config_by_root(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "/proc/self/root%s", b->config);
	return open(path, O_RDONLY);
}

static long read_passwd(const struct bench *b)
{
	(void)b;
	return open("/etc/passwd", O_RDONLY);
}

static long write_clip(const struct bench *b)
{
	return open(b->clip, O_RDWR);
}

static long make_file(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/new", b->media);
	return open(path, O_WRONLY | O_CREAT, 0600);
}

static long empty_clip(const struct bench *b)
{
	return open(b->clip, O_RDONLY | O_TRUNC);
}

static long empty_clip_to_write(const struct bench *b)
{
	return open(b->clip, O_RDWR | O_TRUNC);
}

static long remove_clip(const struct bench *b)
{
	return unlink(b->clip);
}

static long rename_clip(const struct bench *b)
{
	return rename(b->clip, b->other);
}

static long link_config(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/linked", b->media);
	return link(b->config, path);
}

static long symlink_config(const struct bench *b)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/linked", b->media);
	return symlink(b->config, path);
}

static long chmod_config(const struct bench *b)
{
	return chmod(b->config, 0666);
}

static long of_master(const struct bench *b, const char *file, int flags)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)b->master, file);
	return open(path, flags);
}

static long read_memory_of_master(const struct bench *b)
{
	return of_master(b, "mem", O_RDONLY);
}

static long write_memory_of_master(const struct bench *b)
{
	return of_master(b, "mem", O_RDWR);
}

static long list_files_of_master(const struct bench *b)
{
	return of_master(b, "fd", O_RDONLY | O_DIRECTORY);
}

static long read_environment_of_master(const struct bench *b)
{
	return of_master(b, "environ", O_RDONLY);
}

static long list_processes(const struct bench *b)
{
	(void)b;
	return open("/proc", O_RDONLY | O_DIRECTORY);
}

static long trace_master(const struct bench *b)
{
	return ptrace(PTRACE_SEIZE, b->master, NULL, NULL);
}

static long peek_master(const struct bench *b)
{
	char byte;
	struct iovec own = { &byte, 1 }, far = { (void *)b, 1 };

	return process_vm_readv(b->master, &own, 1, &far, 1, 0);
}

static long poke_master(const struct bench *b)
{
	char byte = 0;
	struct iovec own = { &byte, 1 }, far = { (void *)b, 1 };

	return process_vm_writev(b->master, &own, 1, &far, 1, 0);
}

static long signal_master(const struct bench *b)
{
	return kill(b->master, SIGCONT);
}

static long signal_thread_of_master(const struct bench *b)
{
	return syscall(SYS_tgkill, b->master, b->master, SIGCONT);
}

static long queue_signal_for_master(const struct bench *b)
{
	return sigqueue(b->master, SIGCONT, (union sigval){ 0 });
}

static long open_pidfd_of_master(const struct bench *b)
{
	return syscall(SYS_pidfd_open, b->master, 0);
}

static long take_descriptor_of_master(const struct bench *b)
{
	return syscall(SYS_pidfd_getfd, b->ring, 0, 0);
}

static long send_signal_by_pidfd(const struct bench *b)
{
	return syscall(SYS_pidfd_send_signal, b->ring, SIGCONT, NULL, 0);
}

static long choose_signal_of_descriptor(const struct bench *b)
{
	(void)b;
	return fcntl(WORKER_CHANNEL_FD, F_SETSIG, SIGKILL);
}

static long give_descriptor_to_master(const struct bench *b)
{
	return fcntl(WORKER_CHANNEL_FD, F_SETOWN, b->master);
}

static long limit_master(const struct bench *b)
{
	struct rlimit files = { 1, 1 };

	return prlimit(b->master, RLIMIT_NOFILE, &files, NULL);
}

static long renice_master(const struct bench *b)
{
	return setpriority(PRIO_PROCESS, (id_t)b->master, 19);
}

static long stop_reports(const struct bench *b)
{
	(void)b;
	return signal(SIGSYS, SIG_IGN) == SIG_ERR ? -1 : 0;
}

static long begin_child(const struct bench *b)
{
	long pid = syscall(SYS_fork);

	(void)b;
	if (pid == 0)
		_exit(0);
	return pid;
}

static long clone_child(const struct bench *b)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	(void)b;
	if (pid == 0)
		_exit(0);
	return pid;
}

static long clone3_child(const struct bench *b)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	long pid = syscall(SYS_clone3, &args, sizeof args);

	(void)b;
	if (pid == 0)
		_exit(0);
	return pid;
}

static long execute(const struct bench *b)
{
	char *argv[] = { (char[]){ "true" }, NULL };

	(void)b;
	return execv("/bin/true", argv);
}

static long execute_descriptor(const struct bench *b)
{
	char *argv[] = { (char[]){ "true" }, NULL };

	return syscall(SYS_execveat, b->ring, "", argv, argv, AT_EMPTY_PATH);
}

static long make_code(const struct bench *b)
{
	void *at = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)b;
	return at == MAP_FAILED ? -1 : 0;
}

static long make_memory_code(const struct bench *b)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)b;
	return mprotect(at, 4096, PROT_READ | PROT_EXEC);
}

static long open_tcp(const struct bench *b)
{
	(void)b;
	return socket(AF_INET, SOCK_STREAM, 0);
}

static long open_udp(const struct bench *b)
{
	(void)b;
	return socket(AF_INET, SOCK_DGRAM, 0);
}

static long open_raw(const struct bench *b)
{
	(void)b;
	return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

static long open_packet(const struct bench *b)
{
	(void)b;
	return socket(AF_PACKET, SOCK_RAW, 0);
}

static long open_unix(const struct bench *b)
{
	(void)b;
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long open_alg(const struct bench *b)
{
	(void)b;
	return socket(AF_ALG, SOCK_SEQPACKET, 0);
}

static long open_vsock(const struct bench *b)
{
	(void)b;
	return socket(AF_VSOCK, SOCK_STREAM, 0);
}

static long open_audit(const struct bench *b)
{
	(void)b;
	return socket(AF_NETLINK, SOCK_RAW, 9);
}

static long mount_folder(const struct bench *b)
{
	return mount("x", b->media, "tmpfs", 0, NULL);
}

static long unmount_folder(const struct bench *b)
{
	return umount2(b->media, MNT_DETACH);
}

static long make_namespace(const struct bench *b)
{
	(void)b;
	return unshare(CLONE_NEWUSER);
}

static long enter_namespace(const struct bench *b)
{
	return setns(b->ring, 0);
}

static long change_root(const struct bench *b)
{
	return chroot(b->media);
}

static long begin_uring(const struct bench *b)
{
	struct io_uring_params params = { 0 };

	(void)b;
	return syscall(SYS_io_uring_setup, 4, &params);
}

static long load_bpf(const struct bench *b)
{
	char attr[128] = { 0 };

	(void)b;
	return syscall(SYS_bpf, 0, attr, sizeof attr);
}

static long read_keys(const struct bench *b)
{
	(void)b;
	return syscall(SYS_keyctl, 0, -3, 1);
}

static long add_key(const struct bench *b)
{
	(void)b;
	return syscall(SYS_add_key, "user", "k", "v", 1, -3);
}

static long watch_events(const struct bench *b)
{
	char attr[128] = { 0 };

	(void)b;
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
}

static long handle_faults(const struct bench *b)
{
	(void)b;
	return syscall(SYS_userfaultfd, 1);
}

static long change_personality(const struct bench *b)
{
	(void)b;
	return syscall(SYS_personality, 0x0400000);
}

static long make_memfd(const struct bench *b)
{
	(void)b;
	return memfd_create("x", 0);
}

static long show_memory(const struct bench *b)
{
	(void)b;
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static long change_clock(const struct bench *b)
{
	struct timespec now = { 0 };

	(void)b;
	return clock_settime(CLOCK_REALTIME, &now);
}

static long own_path(const struct bench *b, int flags)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", b->ring);
	return open(path, flags);
}

static long reopen_ring(const struct bench *b)
{
	return own_path(b, O_RDWR);
}

static long write_ring(const struct bench *b)
{
	return pwrite(b->ring, "x", 1, 0);
}

static long map_ring(const struct bench *b)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			b->ring, 0);

	return at == MAP_FAILED ? -1 : 0;
}

static long unlock_ring(const struct bench *b)
{
	return fchmod(b->ring, 0600);
}

static long read_clip(const struct bench *b)
{
	return open(b->clip, O_RDONLY);
}

static long signal_itself(const struct bench *b)
{
	(void)b;
	return kill(getpid(), 0);
}

static const struct attempt attempts[] = {
	ATTEMPT(read_config, FILES),
	ATTEMPT(write_config, FILES),
	ATTEMPT(read_key, FILES),
	ATTEMPT(list_state, FILES),
	ATTEMPT(write_state, FILES),
	ATTEMPT(read_other, FILES),
	ATTEMPT(read_config_by_dots, FILES),
	ATTEMPT(read_config_by_root, FILES),
	ATTEMPT(read_passwd, FILES),
	ATTEMPT(write_clip, FILES | WRITER),
	ATTEMPT(make_file, FILES | WRITER),
	ATTEMPT(empty_clip, 0),
	ATTEMPT(empty_clip_to_write, 0),
	ATTEMPT(remove_clip, 0),
	ATTEMPT(rename_clip, 0),
	ATTEMPT(link_config, 0),
	ATTEMPT(symlink_config, 0),
	ATTEMPT(chmod_config, 0),
	ATTEMPT(read_memory_of_master, FILES),
	ATTEMPT(write_memory_of_master, FILES),
	ATTEMPT(list_files_of_master, FILES),
	ATTEMPT(read_environment_of_master, FILES),
	ATTEMPT(list_processes, FILES),
	ATTEMPT(trace_master, FILES),
	ATTEMPT(peek_master, FILES),
	ATTEMPT(poke_master, FILES),
	ATTEMPT(signal_master, 0),
	ATTEMPT(signal_thread_of_master, 0),
	ATTEMPT(queue_signal_for_master, 0),
	ATTEMPT(open_pidfd_of_master, 0),
	ATTEMPT(take_descriptor_of_master, 0),
	ATTEMPT(send_signal_by_pidfd, 0),
	ATTEMPT(choose_signal_of_descriptor, 0),
	ATTEMPT(give_descriptor_to_master, 0),
	ATTEMPT(limit_master, 0),
	ATTEMPT(renice_master, 0),
	ATTEMPT(stop_reports, 0),
	ATTEMPT(begin_child, 0),
	ATTEMPT(clone_child, 0),
	ATTEMPT(clone3_child, 0),
	ATTEMPT(execute, FILES),
	ATTEMPT(execute_descriptor, 0),
	ATTEMPT(make_code, 0),
	ATTEMPT(make_memory_code, 0),
	ATTEMPT(open_tcp, TCP),
	ATTEMPT(open_udp, UDP),
	ATTEMPT(open_raw, 0),
	ATTEMPT(open_packet, 0),
	ATTEMPT(open_unix, 0),
	ATTEMPT(open_alg, 0),
	ATTEMPT(open_vsock, 0),
	ATTEMPT(open_audit, 0),
	ATTEMPT(mount_folder, 0),
	ATTEMPT(unmount_folder, 0),
	ATTEMPT(make_namespace, 0),
	ATTEMPT(enter_namespace, 0),
	ATTEMPT(change_root, 0),
	ATTEMPT(begin_uring, 0),
	ATTEMPT(load_bpf, 0),
	ATTEMPT(read_keys, 0),
	ATTEMPT(add_key, 0),
	ATTEMPT(watch_events, 0),
	ATTEMPT(handle_faults, 0),
	ATTEMPT(change_personality, 0),
	ATTEMPT(make_memfd, 0),
	ATTEMPT(show_memory, 0),
	ATTEMPT(change_clock, 0),
	ATTEMPT(reopen_ring, MODES),
	ATTEMPT(write_ring, MODES),
	ATTEMPT(map_ring, MODES),
	ATTEMPT(unlock_ring, 0),
	ATTEMPT(read_clip, NEED),
	ATTEMPT(signal_itself, NEED),
	{ 0 },
};

const struct attempt *attempt_next(const struct attempt *last)
{
	const struct attempt *next = last == NULL ? attempts : last + 1;

	if (next->name == NULL && next == &attempts[ARRAY_LEN(attempts) - 1])
		next = attempts_kernel;
	return next->name != NULL ? next : NULL;
}

attempt_fn *attempt_find(const char *name)
{
	const struct attempt *a = attempt_next(NULL);

	while (a != NULL && strcmp(a->name, name) != 0)
		a = attempt_next(a);
	return a != NULL ? a->run : NULL;
}
