/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker of the guide, with a stream, through the master's side. */
#pragma once

#include "master/streams/epg_proc.h"
#include "tests/component/service_rig.h"

#include <stddef.h>
#include <sys/types.h>

enum { EPG_BENCH_PATIENCE_MS = 10000 };

struct epg_bench {
	struct service_rig rig;
	struct epg_proc *proc;
	struct epg_times times;
	char folder[32];
	char *path;
	const char *id; /* of the stream */
	unsigned services;
	const char *dictionary; /* epg_dictionary; NULL: none */
};

struct asked {
	unsigned done;
	size_t len;
	char error[128];
};

/* saved: the content of the file; NULL: there is none. */
void epg_bench_init(struct epg_bench *, const char *saved);
void epg_bench_init_with(struct epg_bench *, const char *saved,
			 struct epg_times);
/* services: epg_services. */
void epg_bench_init_limit(struct epg_bench *, const char *saved,
			  unsigned services);
/* path: epg_dictionary. */
void epg_bench_init_dictionary(struct epg_bench *, const char *saved,
			       struct epg_times, const char *path);
/* The worker has loaded an event of the stream. */
void epg_bench_init_event(struct epg_bench *);
void epg_bench_done(struct epg_bench *);

void epg_bench_write_file(const struct epg_bench *, const char *text);
/* A saved event of the stream that begins in an hour. */
void epg_bench_format_event(char *text, size_t size, const char *stream);

void epg_bench_wait_loaded(struct epg_bench *);
/* Stops the worker until SIGCONT. */
pid_t epg_bench_pause(void);

/* Asks for the events of the stream. */
int epg_bench_ask(struct epg_bench *, struct asked *);
void epg_bench_on_done(const struct epg_answer *, void *asked);
void epg_bench_wait_answer(struct epg_bench *, struct asked *);
