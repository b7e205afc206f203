/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/picture_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "common/loop/timer.h"
#include "config.h"
#include "proto/ipc/channel.h"

#include <assert.h>
#include <ev.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { PAUSES_MAX = 64 };

struct picture_job {
	TAILQ_ENTRY(picture_job) link;
	struct picture_proc *owner;
	char *stream;
	int ring, out;
	picture_done_fn *done;
	void *arg;
	uint32_t seq; /* 0: not sent to the worker yet */
	ev_timer deadline;
};

/* A stream that crashed the worker, and gets no picture for a while. */
struct pause {
	char *stream; /* NULL: the entry is free */
	unsigned times;
	uint64_t until_ms;
};

struct picture_proc {
	struct ev_loop *loop;
	struct service_proc *service;
	TAILQ_HEAD(, picture_job) jobs; /* in order of arrival */
	unsigned n;
	uint32_t last_seq;
	/* seq of the job that the worker has, until its result or the end of
	 * the worker; 0: the worker has none.  The job itself may have been
	 * cancelled or have timed out. */
	uint32_t with_worker;
	char *stream; /* stream of the last job that was sent; NULL: none */
	struct pause pauses[PAUSES_MAX];
	ev_timer idle;
};

static void job_free(struct picture_job *j)
{
	struct picture_proc *p = j->owner;

	TAILQ_REMOVE(&p->jobs, j, link);
	p->n--;
	ev_timer_stop(p->loop, &j->deadline);
	fd_close(&j->ring);
	fd_close(&j->out);
	free(j->stream);
	free(j);
}

/* Starts the time limit of a job: for the wait until the job is sent to the
 * worker, and then again for its result. */
static void set_deadline(struct picture_job *j)
{
	timer_start(j->owner->loop, &j->deadline, PICTURE_DEADLINE_MS / 1e3);
}

/* --- the worker --- */

/* Returns the job that the worker has; NULL: the worker has none, or the job
 * was cancelled or timed out. */
static struct picture_job *find_sent(const struct picture_proc *p)
{
	struct picture_job *j;

	TAILQ_FOREACH(j, &p->jobs, link)
		if (j->seq != 0)
			break;
	return j;
}

/* Sends the next job.  Only one job at a time: the worker sends its heartbeat
 * between two jobs, and its crash is the fault of the job that it has. */
static void pump(void *self)
{
	struct picture_proc *p = self;
	struct picture_job *j = TAILQ_FIRST(&p->jobs);
	struct msg m = { .type = MSG_PICTURE_MAKE,
			 .picture_make = { PICTURE_WIDTH } };
	int fds[2];

	if (j == NULL || service_proc_channel(p->service) == NULL ||
	    p->with_worker != 0)
		return;
	if (++p->last_seq == 0)
		p->last_seq = 1;
	j->seq = m.seq = p->with_worker = p->last_seq;
	free(p->stream);
	p->stream = xstrdup(j->stream);
	set_deadline(j);
	fds[0] = j->ring;
	fds[1] = j->out;
	/* if this fails, the worker is ending: on_down() fails the job */
	service_proc_send(p->service, &m, fds);
}

/* Ends a job.  The next job is sent before done is called, because done may end
 * all jobs. */
static void job_end(struct picture_job *j, const struct msg_picture_result *m)
{
	struct picture_proc *p = j->owner;
	picture_done_fn *done = j->done;
	int out = j->out;
	void *arg = j->arg;

	j->out = -1;
	job_free(j);
	pump(p);
	done(m, out, arg);
	fd_close(&out);
}

static void job_fail(struct picture_job *j, const char *error)
{
	job_end(j, &(struct msg_picture_result){ .error = error });
}

static void on_message(const struct msg *m, void *self)
{
	struct picture_proc *p = self;
	struct picture_job *j = find_sent(p);

	if (m->type != MSG_PICTURE_RESULT || m->seq == 0 ||
	    m->seq != p->with_worker)
		return;
	p->with_worker = 0;
	if (j != NULL)
		job_end(j, &m->picture_result);
	else
		pump(p);
}

/* --- streams that crash the worker --- */

static struct pause *find_pause(const struct picture_proc *p,
				const char *stream)
{
	for (size_t i = 0; i < PAUSES_MAX; i++)
		if (p->pauses[i].stream != NULL &&
		    strcmp(p->pauses[i].stream, stream) == 0)
			return (struct pause *)&p->pauses[i];
	return NULL;
}

static struct pause *add_pause(struct picture_proc *p, const char *stream)
{
	struct pause *oldest = &p->pauses[0];

	for (size_t i = 0; i < PAUSES_MAX && oldest->stream != NULL; i++)
		if (p->pauses[i].stream == NULL ||
		    p->pauses[i].until_ms < oldest->until_ms)
			oldest = &p->pauses[i];
	free(oldest->stream);
	*oldest = (struct pause){ .stream = xstrdup(stream) };
	return oldest;
}

static void pause_stream(struct picture_proc *p, const char *stream)
{
	struct pause *one = find_pause(p, stream);
	unsigned pause_s;

	if (one == NULL)
		one = add_pause(p, stream);
	pause_s = MIN((unsigned)PICTURE_PAUSE_S << MIN(one->times, 10U),
		      (unsigned)PICTURE_PAUSE_MAX_S);
	one->times++;
	one->until_ms = mono_ms() + UINT64_C(1000) * pause_s;
	log_warning("picture", "stream %s: the process that decodes pictures "
			       "failed at its last key frame: no picture for "
			       "%u s", stream,
		    pause_s);
}

const char *picture_proc_refusal(const struct picture_proc *p,
				 const char *stream)
{
	const struct pause *one = find_pause(p, stream);

	if (!HAVE_PICTURE)
		return "this program was built without pictures";
	if (one != NULL && mono_ms() < one->until_ms)
		return "the process that decodes pictures failed at a key "
		       "frame of the stream";
	return p->n >= PICTURE_JOBS_MAX ? "too many pictures are wanted at once"
					: NULL;
}

/* The worker has ended: fails its job; its successor gets the other jobs. */
static void on_down(void *self)
{
	struct picture_proc *p = self;
	struct picture_job *j = find_sent(p);

	if (p->with_worker == 0)
		return;
	p->with_worker = 0;
	if (service_proc_failure(p->service) != NULL)
		pause_stream(p, p->stream);
	if (j != NULL)
		job_fail(j, "the process that decodes pictures failed at the "
			    "last key frame of the stream");
}

static const struct service_kind kind = {
	.role = "picture",
	.program = SPAWN_WORKER_PICTURE,
	.beat = MSG_PICTURE_STATUS,
	.on_hello = pump,
	.on_message = on_message,
	.on_down = on_down,
};

static void on_idle(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct picture_proc *p = container_of(t, struct picture_proc, idle);

	(void)revents;
	if (p->n > 0)
		return;
	ev_timer_stop(loop, t);
	service_proc_unwant(p->service);
}

struct picture_proc *picture_proc_new(const struct service_config *cfg)
{
	struct picture_proc *p = xcalloc(1, sizeof *p);

	p->loop = cfg->loop;
	TAILQ_INIT(&p->jobs);
	ev_init(&p->idle, on_idle);
	p->idle.repeat = PICTURE_IDLE_S;
	p->service = service_proc_new(cfg, &kind, "1", p);
	return p;
}

void picture_proc_free(struct picture_proc **pp)
{
	struct picture_proc *p = *pp;

	*pp = NULL;
	if (p == NULL)
		return;
	assert(TAILQ_EMPTY(&p->jobs));
	ev_timer_stop(p->loop, &p->idle);
	service_proc_free(&p->service);
	for (size_t i = 0; i < PAUSES_MAX; i++)
		free(p->pauses[i].stream);
	free(p->stream);
	free(p);
}

struct service_proc *picture_proc_service(struct picture_proc *p)
{
	return p->service;
}

/* --- jobs --- */

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	job_fail(container_of(t, struct picture_job, deadline),
		 "the picture was not made within 5 s");
}

struct picture_job *picture_job_new(struct picture_proc *p, const char *stream,
				    int ring, picture_done_fn *done, void *arg)
{
	struct picture_job *j;
	int out, copy;

	if (picture_proc_refusal(p, stream) != NULL)
		return NULL;
	out = shared_create("picture", PICTURE_SIZE_MAX);
	copy = fcntl(ring, F_DUPFD_CLOEXEC, 0);
	if (out < 0 || copy < 0) {
		fd_close(&out);
		fd_close(&copy);
		return NULL;
	}
	j = xcalloc(1, sizeof *j);
	j->owner = p;
	j->stream = xstrdup(stream);
	j->ring = copy;
	j->out = out;
	j->done = done;
	j->arg = arg;
	TAILQ_INSERT_TAIL(&p->jobs, j, link);
	p->n++;
	ev_init(&j->deadline, on_deadline);
	set_deadline(j);
	ev_timer_again(p->loop, &p->idle);
	service_proc_want(p->service);
	pump(p);
	return j;
}

void picture_job_cancel(struct picture_job **j)
{
	if (*j != NULL)
		job_free(*j);
	*j = NULL;
}
