/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/fd_store.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/loop/timer.h"
#include "common/supervise/memfd.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum {
	DOCUMENTS = 2,
	RETRY_MS = 1000,
};

static const char *const document_names[DOCUMENTS] = { "s1", "s2" };

struct fd_store {
	struct fd_store_config cfg;
	bool there;  /* the store can be used */
	bool failed; /* the last write failed */
	ev_timer timer;
	/* its keys are the names of the descriptors in the store of systemd */
	json_t *stored;
	uint64_t serial; /* number of the newest document */
	uint64_t cost_ns; /* CPU time of the last write */
	int documents[DOCUMENTS];
};

/* --- the store --- */

static int store(struct fd_store *s, const char *name, int fd)
{
	char *state;
	int r;

	if (json_object_get(s->stored, name) != NULL)
		return 0;
	/* no polling: systemd would drop a socket whose peer has closed */
	state = xasprintf("FDSTORE=1\nFDNAME=%s\nFDPOLL=0", name);
	r = sd_pid_notify_with_fds(0, 0, state, &fd, 1);
	free(state);
	if (r > 0)
		(void)json_object_set_new(s->stored, name, json_true());
	return r > 0 ? 0 : r < 0 ? r : -ENOTCONN;
}

/* Stores the descriptors, then the document, and then removes old descriptors.
 * So the newest complete document never names a missing descriptor. */
static int store_all(struct fd_store *s, struct handover *h)
{
	const json_t *fds = handover_fds(h);
	const char *name;
	json_t *value;
	void *next;
	size_t len;
	char *text;
	int err = 0;

	json_object_foreach((json_t *)(uintptr_t)fds, name, value)
		if (err == 0)
			err = store(s, name, (int)json_integer_value(value));
	if (err < 0)
		return err;
	(void)json_object_set_new(handover_document(h), "serial",
				  json_integer((json_int_t)++s->serial));
	text = handover_format(h, false, &len);
	err = memfd_write(s->documents[s->serial % DOCUMENTS], text, len);
	free(text);
	if (err < 0)
		return err;
	json_object_foreach_safe(s->stored, next, name, value) {
		if (json_object_get(fds, name) != NULL || name[0] == 's')
			continue;
		if (sd_notifyf(0, "FDSTOREREMOVE=1\nFDNAME=%s", name) > 0)
			(void)json_object_del(s->stored, name);
	}
	return 0;
}

static void write_all(struct fd_store *s, struct handover *h)
{
	int err = store_all(s, h);

	if (err < 0 && !s->failed)
		log_warning("master",
			    "cannot store descriptors in systemd: "
			    "%s; retrying once a second",
			    strerror(-err));
	s->failed = err < 0;
	if (!s->failed)
		return;
	timer_start(s->cfg.loop, &s->timer, RETRY_MS / 1e3);
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct fd_store *s = container_of(t, struct fd_store, timer);
	uint64_t began = mono_cost_ns();
	struct handover *h = s->cfg.write(s->cfg.arg);

	(void)loop, (void)revents;
	write_all(s, h);
	handover_free(&h);
	s->cost_ns = mono_cost_ns() - began;
}

struct fd_store *fd_store_new(const struct fd_store_config *cfg,
			      struct handover *before)
{
	struct fd_store *s = xcalloc(1, sizeof *s);
	uint64_t number;
	int fd, err = 0;

	s->cfg = *cfg;
	s->stored = json_object();
	for (size_t i = 0; i < DOCUMENTS; i++)
		s->documents[i] = -1;
	ev_init(&s->timer, on_timer);
	if (getenv("FDSTORE") == NULL || getenv("NOTIFY_SOCKET") == NULL)
		return s;
	if (before != NULL) {
		(void)json_object_update(s->stored, (json_t *)(uintptr_t)
					 handover_handed(before));
		while ((fd = handover_take_any(before, 's', &number)) >= 0)
			if (number >= 1 && number <= DOCUMENTS &&
			    s->documents[number - 1] < 0)
				s->documents[number - 1] = fd;
			else
				(void)close(fd);
		s->serial = (uint64_t)json_integer_value(
			json_object_get(handover_document(before), "serial"));
	}
	for (size_t i = 0; i < DOCUMENTS && err == 0; i++) {
		if (s->documents[i] < 0)
			s->documents[i] = memfd_open("handover");
		err = s->documents[i] < 0
			      ? s->documents[i]
			      : store(s, document_names[i], s->documents[i]);
	}
	s->there = err == 0;
	if (err < 0)
		log_warning("master",
			    "cannot use the descriptor store of systemd: %s: "
			    "workers will not survive a crash of sluice",
			    strerror(-err));
	return s;
}

void fd_store_free(struct fd_store **sp)
{
	struct fd_store *s = *sp;

	*sp = NULL;
	if (s == NULL)
		return;
	ev_timer_stop(s->cfg.loop, &s->timer);
	for (size_t i = 0; i < DOCUMENTS; i++)
		fd_close(&s->documents[i]);
	json_decref(s->stored);
	free(s);
}

void fd_store_touch(struct fd_store *s)
{
	uint64_t delay_ms;

	if (s == NULL || !s->there)
		return;
	delay_ms = MAX(s->cost_ns * FD_STORE_SHARE / MS, FD_STORE_DELAY_MS);
	delay_ms = MIN(delay_ms, FD_STORE_DELAY_MAX_MS);
	timer_ensure(s->cfg.loop, &s->timer, (double)delay_ms / 1e3);
}

void fd_store_hand_on(struct fd_store *s, struct handover *h)
{
	if (!s->there)
		return;
	write_all(s, h);
	for (uint64_t i = 1; i <= DOCUMENTS; i++)
		json_decref(handover_put(h, 's', &i, s->documents[i - 1]));
}

/* --- after a crash --- */

/* The newer of the complete documents that systemd stored; an empty object if
 * none is complete. */
static json_t *read_documents(const json_t *fds)
{
	json_t *newest = NULL;
	json_int_t serial = -1;
	struct errmsg error;

	for (size_t i = 0; i < DOCUMENTS; i++) {
		const json_t *fd = json_object_get(fds, document_names[i]);
		json_t *found =
			fd == NULL
				? NULL
				: memfd_read_json((int)json_integer_value(fd),
						  &error);
		json_int_t its = json_integer_value(
			json_object_get(found, "serial"));

		if (found == NULL || its <= serial) {
			json_decref(found);
			continue;
		}
		json_decref(newest);
		newest = found;
		serial = its;
	}
	return newest != NULL ? newest : json_object();
}

/* The descriptors that systemd passed to this process, by name: {"c17": 5}. */
static json_t *read_names(void)
{
	json_t *fds = json_object();
	char **names = NULL;
	int n = sd_listen_fds_with_names(1, &names);

	for (int i = 0; i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;

		/* inherited, as after exec: handover_of() checks this flag */
		if (handover_is_name(names[i]) &&
		    json_object_get(fds, names[i]) == NULL &&
		    fcntl(fd, F_SETFD, 0) == 0)
			(void)json_object_set_new(fds, names[i],
						  json_integer(fd));
		else
			(void)close(fd);
		free(names[i]);
	}
	free(names);
	return fds;
}

struct handover *fd_store_adopt(void)
{
	json_t *fds = read_names();
	struct handover *h = NULL;
	struct errmsg error = { 0 };
	json_t *document;

	if (json_object_size(fds) > 0) {
		document = read_documents(fds);
		(void)json_object_set(document, "fds", fds);
		h = handover_of(document, &error);
		if (h == NULL)
			log_error("master",
				  "cannot adopt the descriptors "
				  "stored by systemd: %s",
				  error.text);
	}
	json_decref(fds);
	return h;
}
