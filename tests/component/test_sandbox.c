/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What code that an attacker runs in a confined worker cannot do.  Each attempt
 * is made in a process that entered the sandbox of its role. */
#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/landlock.h"
#include "common/base/shared.h"
#include "config.h"
#include "proto/ipc/contract.h"
#include "tests/component/attempts.h"
#include "worker/adapter/dvb/dvb_device.h"
#include "worker/adapter/dvb/dvb_place.h"
#include "worker/adapter/dvb/hotplug.h"
#include "worker/core/confine.h"
#include "worker/core/sandbox.h"
#include "worker/core/worker.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void path_of(const struct bench *b, const char *name, char *ret)
{
	(void)snprintf(ret, 96, "%s/%s", b->dir, name);
}

static void write_file(const char *path, const char *text)
{
	ssize_t len = (ssize_t)strlen(text);

	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0, "%s: %s", path, strerror(errno));
	cr_assert_eq(write(fd, text, (size_t)len), len);
	(void)close(fd);
}

static void bench_init(struct bench *b)
{
	char path[96], private[200];
	int ring = shared_create("ring", 65536);

	*b = (struct bench){ .dir = "/tmp/sluice-sandbox-XXXXXX",
			     .master = getpid() };
	cr_assert_not_null(mkdtemp(b->dir));
	for (size_t i = 0; i < 5; i++) {
		static const char *const folders[] = { "etc", "media", "other",
						       "state", "cert" };

		path_of(b, folders[i], path);
		cr_assert_eq(mkdir(path, 0700), 0);
	}
	path_of(b, "etc/sluice.json", b->config);
	path_of(b, "cert/key.pem", b->key);
	path_of(b, "state", b->state);
	path_of(b, "other/clip.ts", b->other);
	path_of(b, "media/clip.ts", b->clip);
	path_of(b, "media", b->media);
	write_file(b->config, "secret");
	write_file(b->key, "secret");
	write_file(b->other, "secret");
	write_file(b->clip, "secret");
	path_of(b, "media/list", path);
	write_file(path, "clip.ts\n../etc/sluice.json\n../cert/key.pem\n"
			 "../media/../etc/sluice.json\nalias\n"
			 "../other/clip.ts\n");
	path_of(b, "media/alias", path);
	cr_assert_eq(symlink(b->key, path), 0);
	(void)snprintf(private, sizeof private, "%s/etc\n%s", b->dir,
		       b->state);
	cr_assert_eq(setenv(WORKER_PRIVATE_VARIABLE, private, 1), 0);
	cr_assert_eq(setenv(WORKER_KEY_VARIABLE, b->key, 1), 0);
	/* where another stream records */
	path_of(b, "other", path);
	cr_assert_eq(setenv(WORKER_RECORDINGS_VARIABLE, path, 1), 0);
	cr_assert_geq(ring, 0);
	b->ring = fd_reopen_readonly(ring);
	cr_assert_geq(b->ring, 0);
	(void)close(ring);
}

static void bench_done(struct bench *b)
{
	char line[128];

	(void)snprintf(line, sizeof line, "rm -rf %s", b->dir);
	cr_assert_eq(system(line), 0);
	(void)close(b->ring);
}

/* --- an older Landlock --- */

/* The functions that the linker names. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static int version_max; /* 0: that of this kernel */

/* It reads six arguments of calls that may have fewer. */
__attribute__((no_sanitize_address))
long __wrap_syscall(long number, ...)
{
	long arg[6], r;
	va_list list;

	va_start(list, number);
	for (size_t i = 0; i < ARRAY_LEN(arg); i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	r = __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4],
			   arg[5]);
	if (number == SYS_landlock_create_ruleset && arg[0] == 0 &&
	    version_max != 0 && r > version_max)
		return version_max;
	return r;
}

/* --- the roles --- */

#define FILLER "filler="

/* Only the attempts on files are made. */
enum { ONLY_FILES = 1 << 8 };

/* In a program of its own. */
static const struct worker_role picture = { .name = "picture" };

static const struct role {
	const struct worker_role *is;
	unsigned needs; /* beside those of the role */
	/* of the stream, in the folder; or NULL; an input behind FILLER: it is
	 * no input but the filler */
	const char *input, *output;
	unsigned may; /* flags of attempts that are no attack; ONLY_FILES */
} roles[] = {
	{ &stream_role, 0, "media/clip.ts", NULL, UDP },
	{ &stream_role, NEED_TCP | NEED_NAMES, NULL, NULL, UDP | TCP },
	{ &stream_role, 0, NULL, "media/rec.ts", UDP | WRITER },
	{ &deliver_role, 0, NULL, NULL, 0 },
	{ &auth_role, 0, NULL, NULL, 0 },
	{ &querier_role, 0, NULL, NULL, 0 },
	{ &epg_role, 0, NULL, NULL, 0 },
	/* of viewers alone, and with a UDP output */
	{ &mux_role, 0, NULL, NULL, 0 },
	{ &mux_role, NEED_UDP, NULL, NULL, UDP },
	/* beside the folders of the service, and in them */
	{ &stream_role, 0, "clip.ts", NULL, UDP | ONLY_FILES },
	{ &stream_role, 0, NULL, "rec.ts", UDP | ONLY_FILES },
	{ &stream_role, 0, "etc/clip.ts", "etc/rec.ts", UDP | ONLY_FILES },
	{ &stream_role, 0, "state/clip.ts", "state/rec.ts", UDP | ONLY_FILES },
	/* a list that names what is private and a recording of another stream,
	 * and a clip beside the key */
	{ &stream_role, 0, "media/list#list", NULL, UDP | ONLY_FILES },
	{ &stream_role, 0, "cert/clip.ts", NULL, UDP | ONLY_FILES },
	{ &stream_role, 0, "cert/key.pem", NULL, UDP | ONLY_FILES },
	{ &picture, NEED_CLOCK, NULL, NULL, 0 },
	/* of a server, and of a tuner */
	{ &adapter_role, NEED_UDP | NEED_TCP, NULL, NULL, UDP | TCP },
	{ &adapter_role, NEED_DEVICES | NEED_FILES, NULL, NULL, 0 },
	/* a filler, beside inputs that name no file */
	{ &stream_role, 0, FILLER "media/clip.ts", NULL, UDP | ONLY_FILES },
	{ &stream_role, 0, FILLER "etc/clip.ts", NULL, UDP | ONLY_FILES },
	/* addresses that name no file */
	{ &stream_role, 0, NULL, NULL, UDP | ONLY_FILES },
	/* with a file and a server of XMLTV */
	{ &epg_net_role, 0, "media/clip.ts", NULL, UDP | TCP },
};

enum {
	LIST_ROLE = 13,
	TUNER_ROLE = 18,
	FILLER_ROLE = 19,
	PLAIN_ROLE = 21,
	EPG_ROLE = 22,
};

static void address_of(const struct bench *b, const char *name, char *ret)
{
	(void)snprintf(ret, 128, "file://%s/%s", b->dir, name);
}

/* The process becomes a worker of the role. */
static bool become(const struct bench *b, void *arg)
{
	const struct role *role = arg;
	struct grants grants = { 0 };
	char address[128];
	json_t *options;

	if (role->input != NULL && strncmp(role->input, FILLER,
					   strlen(FILLER)) == 0) {
		address_of(b, role->input + strlen(FILLER), address);
		options = json_pack("{s:s}", "filler", address);
		grants_add_options(&grants, options);
		json_decref(options);
	} else if (role->input != NULL) {
		address_of(b, role->input, address);
		grants_add_input(&grants, address);
	}
	if (role->output != NULL) {
		address_of(b, role->output, address);
		grants_add_output(&grants, address);
	}
	return confine(0) == 0 &&
	       sandbox_enter(role->is->needs | role->needs, &grants) == 0;
}

/* Makes the attempt in a worker of the role. */
static int try(const struct bench *b, const struct role *role,
	       attempt_fn *run, char *said, size_t size)
{
	const struct attacker by = { b, become, (void *)role };

	return attempt_try(&by, run, said, size);
}

static bool is_tried(const struct role *role, const struct attempt *a)
{
	if ((role->may & ONLY_FILES) && (a->flags & FILES) == 0)
		return false;
	return attempt_is_attack(a, role->may);
}

/* files: only those that Landlock prevents.  The number of attempts; all must
 * be denied. */
static unsigned attack(const struct bench *b, const struct role *role,
		       bool files)
{
	unsigned made = 0;
	char said[512];

	for (const struct attempt *a = attempt_next(NULL); a != NULL;
	     a = attempt_next(a)) {
		int status;

		if (!is_tried(role, a) || (files && (a->flags & FILES) == 0))
			continue;
		made++;
		status = try(b, role, a->run, said, sizeof said);
		cr_expect(attempt_was_denied(status),
			  "role %s (%zu): %s: status %#x", role->is->name,
			  (size_t)(role - roles), a->name, (unsigned)status);
	}
	return made;
}

Test(sandbox, resists_every_attempt_in_every_role)
{
	struct bench b;

	bench_init(&b);
	for (size_t r = 0; r < ARRAY_LEN(roles); r++)
		(void)attack(&b, &roles[r], false);
	bench_done(&b);
}

/* Landlock of kernels that lack rights: the sizes and rights of its rules are
 * others, and the filter of system calls denies the rest. */
Test(sandbox, resists_as_well_where_landlock_is_older)
{
	/* Linux 5.13, 6.1 of Debian 12, 6.2, 6.7, 6.10 */
	static const int versions[] = { 1, 2, 3, 4, 5 };
	unsigned made = 0;
	struct bench b;

	if (landlock_version() == 0)
		cr_skip_test("this kernel has no Landlock");
	bench_init(&b);
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		version_max = versions[v];
		/* each role, and one role in full, with that of Debian 12 */
		for (size_t r = 0; r < ARRAY_LEN(roles); r++)
			if (versions[v] == 2 || r < 3)
				made += attack(&b, &roles[r], r != 1 ||
					       versions[v] != 2);
	}
	version_max = 0;
	bench_done(&b);
	cr_assert_gt(made, 300, "%u attempts", made);
}

Test(sandbox, a_forbidden_call_ends_the_process_and_is_named)
{
	struct bench b;
	char said[512];
	int status;

	if (SANITIZED)
		cr_skip_test("a build with sanitizers filters no calls");
	bench_init(&b);
	status = try(&b, &roles[0], attempt_find("trace_master"), said,
		     sizeof said);
	bench_done(&b);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "%#x",
		  (unsigned)status);
	cr_assert_not_null(strstr(said, "forbidden system call: ptrace"),
			   "said: %s", said);
}

/* --- no other file can be opened --- */

enum { WALK_DEPTH = 3, WALK_MAX = 8000 };

/* A path of this machine, and whether SECURITY says that a worker, or one that
 * resolves names, reads it. */
struct place {
	char *path;
	bool all, names;
};

static struct place *places;
static size_t n_places;
static bool with_names; /* the role resolves names */
static bool with_media; /* the addresses of the role are in this folder */
static char *opened;    /* shared with the worker: what it has opened */

/* Files, and folders with all that is below them. */
struct known {
	const char *names[16];
	char *real[16]; /* NULL: this machine has none */
};

static struct known all = { .names = {
	"/dev/null", "/dev/urandom", "/etc/localtime", "/usr/share/zoneinfo",
	"/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu/online",
} };
static struct known for_names = { .names = {
	"/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/nsswitch.conf",
	"/etc/protocols", "/etc/services", "/etc/resolv.conf",
	"/run/NetworkManager", "/run/resolvconf", "/run/systemd/resolve",
	"/run/connman", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
	"/usr/lib/ssl", "/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
} };

static void know(struct known *k)
{
	for (size_t i = 0; i < ARRAY_LEN(k->names); i++)
		if (k->names[i] != NULL)
			k->real[i] = realpath(k->names[i], NULL);
}

static void forget(struct known *k)
{
	for (size_t i = 0; i < ARRAY_LEN(k->real); i++)
		free(k->real[i]);
}

static bool is_below(const char *real, const struct known *k)
{
	for (size_t i = 0; i < ARRAY_LEN(k->real); i++) {
		size_t len = k->real[i] != NULL ? strlen(k->real[i]) : 0;

		if (len > 0 && strncmp(real, k->real[i], len) == 0 &&
		    (real[len] == '\0' || real[len] == '/'))
			return true;
	}
	return false;
}

static void add_place(const char *path)
{
	char real[PATH_MAX];
	bool is_there = realpath(path, real) != NULL;

	places = xrealloc(places, (n_places + 1) * sizeof *places);
	places[n_places++] = (struct place){
		.path = xstrdup(path),
		.all = is_there && is_below(real, &all),
		.names = is_there && is_below(real, &for_names),
	};
}

/* Is it a name of a descriptor that the process has; or, for the sanitizers, of
 * whatever it may know of itself? */
static bool is_own(const char *path)
{
	const char *own = SANITIZED ? "proc/self/" : "/proc/self/fd";
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof link - 1);

	link[n > 0 ? n : 0] = '\0';
	return strstr(link, own) != NULL;
}

static void walk(char *root)
{
	char *const roots[] = { root, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t end = n_places + WALK_MAX;
	FTSENT *e;

	while (fts != NULL && n_places < end && (e = fts_read(fts)) != NULL) {
		if (e->fts_level >= WALK_DEPTH)
			(void)fts_set(fts, e, FTS_SKIP);
		if (e->fts_info != FTS_DP && !is_own(e->fts_path))
			add_place(e->fts_path);
	}
	if (fts != NULL)
		(void)fts_close(fts);
}

static long open_places(const struct bench *b)
{
	for (size_t i = 0; i < n_places; i++) {
		const struct place *p = &places[i];
		bool reads = p->all || (p->names && with_names);
		int flags = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

		if (with_media &&
		    strncmp(p->path, b->media, strlen(b->media)) == 0)
			continue;
		if ((reads || open(p->path, O_RDONLY | flags) < 0) &&
		    (strcmp(p->path, "/dev/null") == 0 ||
		     open(p->path, O_WRONLY | flags) < 0))
			continue;
		(void)snprintf(opened, PATH_MAX, "%s", p->path);
		return 0;
	}
	errno = EACCES;
	return -1;
}

Test(sandbox, opens_only_the_files_that_security_lists, .timeout = 300)
{
	static const size_t tried[] = { 0, 1, 2, 3, 6, PLAIN_ROLE, EPG_ROLE };
	char *roots[] = { "/etc", "/dev", "/run", "/root", "/home", "/var",
			  "/proc/sys", "/sys/devices/system", "/usr/share",
			  "/usr/lib/ssl" };
	struct bench b;
	char said[512];

	if (landlock_version() == 0)
		cr_skip_test("this kernel has no Landlock");
	bench_init(&b);
	opened = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(opened, MAP_FAILED);
	know(&all);
	know(&for_names);
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		walk(roots[i]);
	walk(b.dir);
	cr_assert_gt(n_places, 300, "%zu", n_places);
	for (size_t i = 0; i < ARRAY_LEN(tried); i++) {
		const struct role *role = &roles[tried[i]];
		int status;

		with_names = (role->is->needs | role->needs) & NEED_NAMES;
		with_media = role->input != NULL || role->output != NULL;
		opened[0] = '\0';
		status = try(&b, role, open_places, said, sizeof said);
		cr_expect(attempt_was_denied(status), "role %s (%zu): %#x: %s",
			  role->is->name, tried[i], (unsigned)status, opened);
	}
	for (size_t i = 0; i < n_places; i++)
		free(places[i].path);
	free(places);
	forget(&all);
	forget(&for_names);
	(void)munmap(opened, PATH_MAX);
	bench_done(&b);
}

/* --- what the roles need works --- */

static void *run_thread(void *arg)
{
	return arg;
}

static long begin_thread(const struct bench *b)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_thread, (void *)b) != 0)
		return -1;
	return -pthread_join(thread, NULL);
}

static long receive_hotplug(const struct bench *b)
{
	int fd = hotplug_open();

	(void)b;
	if (fd < 0)
		return fd;
	(void)hotplug_take(fd);
	(void)close(fd);
	return 0;
}

/* There is no such card; the search is what must be possible. */
static long find_mac(const struct bench *b)
{
	struct dvb_device device = { .ops = &dvb_system };
	const struct tuner_spec spec = { .mac = "02:00:00:00:00:01" };
	struct errmsg error;
	int r;

	(void)b;
	device.hotplug = hotplug_open();
	r = dvb_place_find(&device, &spec, &error);
	if (device.hotplug >= 0)
		(void)close(device.hotplug);
	return r == -ENODEV ? 0 : -EPERM;
}

Test(sandbox, leaves_a_role_what_it_needs)
{
	const struct {
		size_t role;
		attempt_fn *run;
	} needs[] = {
		{ 0, NULL },
		{ 0, attempt_find("read_clip") },
		{ 0, begin_thread },
		{ 0, attempt_find("open_udp") },
		{ 0, attempt_find("signal_itself") },
		{ 1, attempt_find("open_tcp") },
		{ 2, attempt_find("make_file") },
		{ 3, NULL }, { 4, NULL }, { 5, NULL },
		{ LIST_ROLE, attempt_find("read_clip") },
		{ FILLER_ROLE, attempt_find("read_clip") },
		{ TUNER_ROLE, receive_hotplug },
		{ TUNER_ROLE, find_mac },
	};
	struct bench b;
	char said[512];

	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		int status = try(&b, &roles[needs[i].role], needs[i].run, said,
				 sizeof said);

		cr_assert(WIFEXITED(status) &&
				  WEXITSTATUS(status) == ATTEMPT_DONE,
			  "need %zu: %#x %s", i, (unsigned)status, said);
	}
	bench_done(&b);
}

/* The calls of worker/core/hidden.h and worker/core/private.h. */
static long ask_for_clip(const struct bench *b)
{
	char real[PATH_MAX];

	errno = 0;
	if (faccessat(AT_FDCWD, b->clip, R_OK, AT_EACCESS) == 0 ||
	    errno != EACCES || access(b->clip, R_OK) == 0 || errno != EACCES)
		return -1;
	return realpath(b->clip, real) == NULL && errno == EACCES ? 0 : -1;
}

Test(sandbox, a_role_without_files_asks_in_vain_for_one_and_continues)
{
	static const size_t without[] = { 3, PLAIN_ROLE };
	struct bench b;
	char said[512];

	if (SANITIZED)
		cr_skip_test("a build with sanitizers filters no calls");
	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(without); i++) {
		int status = try(&b, &roles[without[i]], ask_for_clip, said,
				 sizeof said);

		cr_assert(WIFEXITED(status) &&
				  WEXITSTATUS(status) == ATTEMPT_DONE,
			  "role %zu: %#x %s", without[i], (unsigned)status,
			  said);
	}
	bench_done(&b);
}

Test(sandbox, landlock_is_in_this_kernel)
{
	if (landlock_version() == 0)
		cr_skip_test("this kernel has no Landlock: files untested");
	cr_assert_geq(landlock_version(), 1);
}
