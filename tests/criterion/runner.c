/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the tests of a program, each in a forked process, as many at once as
 * there are cores, and prints their results in TAP.
 *
 * A name, or a part of one, on the command line selects tests.
 */
#include "tests/criterion/criterion.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 64, FAILURES_SIZE = 8000, REASON_SIZE = 160 };

/* What a test tells the runner: in memory of both. */
struct result {
	bool returned; /* the test ran to its end, or to a skip */
	bool failed;
	char reason[REASON_SIZE]; /* of a skip, or empty */
	char failures[FAILURES_SIZE]; /* a line each */
};

struct job {
	pid_t pid; /* 0: none */
	const struct cr_test *test;
	time_t deadline; /* monotonic; 0: none */
	bool late;
	struct result *result;
};

static struct cr_test *tests, **last_test = &tests;
static struct result *own; /* of this process, which is a test */

void cr_add(struct cr_test *test)
{
	*last_test = test;
	last_test = &test->next;
}

void cr_fail(const char *place, const char *text, const char *format, ...)
{
	size_t len = strlen(own->failures), room = FAILURES_SIZE - len;
	char message[1024];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(message, sizeof message, format, ap);
	va_end(ap);
	own->failed = true;
	(void)snprintf(own->failures + len, room, "  %s: %s:%s\n", place, text,
		       message);
}

void cr_end(void)
{
	own->returned = true;
	(void)fflush(NULL);
	_exit(0);
}

void cr_skip_test(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(own->reason, sizeof own->reason, format, ap);
	va_end(ap);
	cr_end();
}

static time_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* The defaults of the suite; those of none if it has no TestSuite(). */
static const struct cr_test *suite_of(const struct cr_test *test)
{
	static const struct cr_test none;

	for (const struct cr_test *t = tests; t != NULL; t = t->next)
		if (t->name == NULL && strcmp(t->suite, test->suite) == 0)
			return t;
	return &none;
}

static void run(const struct cr_test *test)
{
	const struct cr_test *suite = suite_of(test);
	void (*const steps[])(void) = { suite->init, test->init, test->run,
					test->fini, suite->fini };

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i] != NULL)
			steps[i]();
	cr_end();
}

static void start(struct job *j, const struct cr_test *test,
		  const sigset_t *mask)
{
	unsigned seconds = test->timeout != 0 ? test->timeout
					      : suite_of(test)->timeout;

	memset(j->result, 0, sizeof *j->result);
	j->test = test;
	j->late = false;
	j->deadline = seconds != 0 ? now() + seconds + 1 : 0;
	(void)fflush(NULL);
	j->pid = fork();
	if (j->pid < 0) {
		printf("Bail out! fork: %s\n", strerror(errno));
		exit(1);
	}
	if (j->pid == 0) {
		(void)sigprocmask(SIG_SETMASK, mask, NULL);
		own = j->result;
		run(test);
	}
}

/* The reason why it did not end as it should, or NULL. */
static const char *judge(const struct job *j, int status)
{
	static char text[80];

	text[0] = '\0';
	if (j->late)
		(void)snprintf(text, sizeof text, "it takes too long");
	else if (WIFSIGNALED(status) && WTERMSIG(status) != j->test->signal)
		(void)snprintf(text, sizeof text, "it was ended by signal %d",
			       WTERMSIG(status));
	else if (WIFEXITED(status) && j->test->signal != 0)
		(void)snprintf(text, sizeof text, "no signal ended it");
	else if (WIFEXITED(status) &&
		 (WEXITSTATUS(status) != j->test->exit_code ||
		  (j->test->exit_code == 0 && !j->result->returned)))
		(void)snprintf(text, sizeof text,
			       "its process ended with status %d",
			       WEXITSTATUS(status));
	return text[0] != '\0' ? text : NULL;
}

/* Prints how the test ended; true: as it should. */
static bool print(const struct job *j, int status, unsigned number)
{
	const char *why = judge(j, status), *reason = j->result->reason;
	bool is_good = why == NULL && !j->result->failed;

	printf("%sok %u - %s::%s%s%s\n", is_good ? "" : "not ", number,
	       j->test->suite, j->test->name,
	       is_good && reason[0] != '\0' ? " # SKIP " : "",
	       is_good ? reason : "");
	if (why != NULL)
		printf("  %s\n", why);
	fputs(j->result->failures, stdout);
	return is_good;
}

static void end_late(struct job *jobs, unsigned n)
{
	for (struct job *j = jobs; j < jobs + n; j++)
		if (j->pid != 0 && j->deadline != 0 && now() > j->deadline) {
			j->late = true;
			(void)kill(j->pid, SIGKILL);
		}
}

/* Waits for a test that ends, and for a second at most.  A test may replace
 * waitpid(). */
static struct job *await(struct job *jobs, unsigned n, int *ret_status)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t ended;
	pid_t pid = wait4(-1, ret_status, WNOHANG, NULL);

	if (pid <= 0) {
		(void)sigemptyset(&ended);
		(void)sigaddset(&ended, SIGCHLD);
		(void)sigtimedwait(&ended, NULL, &second);
		pid = wait4(-1, ret_status, WNOHANG, NULL);
	}
	for (struct job *j = jobs; j < jobs + n && pid > 0; j++)
		if (j->pid == pid) {
			j->pid = 0;
			return j;
		}
	return NULL;
}

static const struct cr_test *next(const struct cr_test *t, const char *part)
{
	while (t != NULL &&
	       (t->name == NULL ||
		(part != NULL && strstr(t->name, part) == NULL)))
		t = t->next;
	return t;
}

static unsigned jobs_of_machine(struct job *ret)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = cores < 1 ? 1 : cores > JOBS_MAX ? JOBS_MAX
						      : (unsigned)cores;
	struct result *results = mmap(NULL, n * sizeof *results,
				      PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (results == MAP_FAILED) {
		printf("Bail out! mmap: %s\n", strerror(errno));
		exit(1);
	}
	for (unsigned i = 0; i < n; i++)
		ret[i] = (struct job){ .result = &results[i] };
	return n;
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : NULL;
	const struct cr_test *test = next(tests, part);
	struct job jobs[JOBS_MAX], *ended;
	unsigned n = jobs_of_machine(jobs), running = 0, count = 0, number = 0;
	bool all_good = true;
	sigset_t mask, chld;
	int status;

	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &chld, &mask);
	for (const struct cr_test *t = test; t != NULL;
	     t = next(t->next, part))
		count++;
	printf("TAP version 13\n1..%u\n", count);
	while (test != NULL || running > 0) {
		for (unsigned i = 0; i < n && test != NULL; i++)
			if (jobs[i].pid == 0) {
				start(&jobs[i], test, &mask);
				running++;
				test = next(test->next, part);
			}
		ended = await(jobs, n, &status);
		end_late(jobs, n);
		if (ended == NULL)
			continue;
		running--;
		if (!print(ended, status, ++number))
			all_good = false;
	}
	return all_good ? 0 : 1;
}
