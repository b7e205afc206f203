/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saves the guide: after changes, before a restart and at the end. */
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "master/streams/epg_file.h"
#include "master/streams/epg_proc_state.h"

enum {
	/* time limit of a save: the worker reads streams at the same time */
	SAVE_S = 60,
	/* time limit of the last save: the stop of the service waits for it */
	LAST_SAVE_S = 2,
};

size_t epg_saved_max(const struct epg_proc *p)
{
	return MIN((size_t)p->limits.memory_mib * 2 << 20,
		   (size_t)EPG_SAVED_MAX);
}

static void save(struct epg_proc *p);

static void end_service(struct epg_proc *p)
{
	ev_timer_stop(p->loop, &p->last_save);
	service_proc_stop(p->service);
}

static bool can_save(const struct epg_proc *p)
{
	return p->file != NULL && p->complete && p->has_status &&
	       p->status.loaded;
}

/* Next step of epg_proc_flush(): begins its save, or notes that the save has
 * ended or is not possible. */
static void save_flush(struct epg_proc *p)
{
	bool begin = p->flush == FLUSH_WAITS && !p->saving && can_save(p);

	if (p->saving)
		return;
	if (begin)
		save(p);
	p->flush = p->saving ? FLUSHING : FLUSHED;
}

/* Next step of epg_proc_stop(): begins the last save, or stops the worker after
 * it. */
static void save_last(struct epg_proc *p)
{
	if (p->saving)
		return;
	if (!p->last && can_save(p))
		save(p);
	p->last = true;
	if (!p->saving)
		end_service(p);
}

static void on_last_save(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc, last_save);

	(void)loop, (void)revents;
	log_warning("epg", "the programme guide is not saved at the end of the "
			   "service: its process did not answer in time: "
			   "changes since the last save are lost");
	p->last = p->told = true;
	end_service(p);
}

static void on_write_limit(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct epg_proc *p = container_of(t, struct epg_proc, write_limit);

	(void)loop, (void)revents;
	if (!p->told)
		log_warning("epg", "the programme guide is not saved: the disk "
				   "does not answer");
	p->told = true;
}

/* A save has ended; error NULL: it succeeded.  A failed save is repeated later,
 * except in a stop. */
static void end_save(struct epg_proc *p, const char *error)
{
	p->saving = false;
	p->saved_ms = mono_ms();
	if (error != NULL)
		p->changes = 0;
	if (error != NULL && !p->told && (p->started || !p->stopping))
		log_warning("epg", "the programme guide is not saved: %s",
			    error);
	if (error == NULL && p->told)
		log_info("epg", "the programme guide is saved again");
	p->told = error != NULL;
	save_flush(p);
	if (p->stopping)
		save_last(p);
}

static void on_written(int result, const struct errmsg *error, void *arg)
{
	struct epg_proc *p = arg;

	ev_timer_stop(p->loop, &p->write_limit);
	if (result == 0)
		p->crashes = 0;
	for (; result == 0 && p->n_saved > 0; p->n_saved--)
		epg_moves_drop(&p->moves);
	end_save(p, result < 0 ? error->text : NULL);
}

static void on_saved(const struct epg_answer *a, void *arg)
{
	struct epg_proc *p = arg;

	if (a->len == 0) {
		end_save(p, a->error[0] != '\0' ? a->error : NULL);
		return;
	}
	timer_start(p->loop, &p->write_limit, p->cfg.times.write_ms / 1e3);
	epg_file_write(p->file, a->fd, a->len, on_written, p);
}

static void save(struct epg_proc *p)
{
	struct msg all = { .type = MSG_EPG_ASK, .epg_ask = { .stream = "" } };

	p->saving = epg_proc_question(p, &all, -1, &(struct epg_question){
		epg_saved_max(p), SAVE_S, on_saved, p }) == 0;
	if (!p->saving)
		return;
	p->changes = p->status.changes;
	p->n_saved = p->moves.n;
}

/* True: the pause after the last save is over.  The pause is shorter after a
 * rename or removal of a stream, because only the memory of the master has
 * these. */
static bool may_save(const struct epg_proc *p)
{
	unsigned pause_ms = p->cfg.times.save_ms;

	if (p->moves.n > 0)
		pause_ms = MIN(pause_ms, 1000U * EPG_SAVE_IDS_S);
	return p->saved_ms == 0 || mono_ms() - p->saved_ms >= pause_ms;
}

void epg_save_later(struct epg_proc *p)
{
	const struct msg_epg_status *s = &p->status;

	if (p->file == NULL || p->saving || p->stopping || !s->loaded ||
	    !p->complete || s->changes == p->changes || !may_save(p))
		return;
	save(p);
}

void epg_proc_flush(struct epg_proc *p)
{
	if (p == NULL)
		return;
	p->flush = FLUSH_WAITS;
	save_flush(p);
}

bool epg_proc_is_flushed(const struct epg_proc *p)
{
	return p == NULL || p->flush == FLUSHED;
}

void epg_proc_stop(struct epg_proc *p)
{
	if (p->stopping)
		return;
	p->stopping = true;
	timer_start(p->loop, &p->last_save, LAST_SAVE_S);
	save_last(p);
}

void epg_save_init(struct epg_proc *p)
{
	ev_init(&p->last_save, on_last_save);
	ev_init(&p->write_limit, on_write_limit);
}

void epg_save_done(struct epg_proc *p)
{
	/* a save that ends now is not logged, and continues no stop */
	p->told = true;
	p->stopping = false;
	ev_timer_stop(p->loop, &p->last_save);
	ev_timer_stop(p->loop, &p->write_limit);
}
