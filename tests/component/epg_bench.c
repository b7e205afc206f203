/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/epg_bench.h"

#include "common/base/alloc.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *stream_at(size_t i, int *ret_ring, void *arg)
{
	const struct epg_bench *b = arg;

	*ret_ring = -1;
	return i == 0 ? b->id : NULL;
}

static bool is_loaded(void *arg)
{
	const struct msg_epg_status *s = epg_proc_status(
		((const struct epg_bench *)arg)->proc);

	return s != NULL && s->loaded;
}

void epg_bench_write_file(const struct epg_bench *b, const char *text)
{
	FILE *f = fopen(b->path, "w");

	cr_assert_not_null(f);
	cr_assert_geq(fputs(text, f), 0);
	cr_assert_eq(fclose(f), 0);
}

static void start(struct epg_bench *b)
{
	struct service_config config = service_rig_config(&b->rig);
	json_t *settings = json_pack("{s:i, s:i, s:i}", "epg_days", 2,
				     "epg_services", (int)b->services,
				     "epg_memory", 0);

	if (b->dictionary != NULL)
		(void)json_object_set_new(settings, "epg_dictionary",
					  json_string(b->dictionary));
	b->proc = epg_proc_new(&config, &(struct epg_config){
		.settings = settings, .path = b->path, .times = b->times,
		.stream_at = stream_at, .arg = b });
	json_decref(settings);
}

static void init(struct epg_bench *b, const char *saved,
		 struct epg_times times, unsigned services,
		 const char *dictionary)
{
	*b = (struct epg_bench){ .folder = "/tmp/epg.XXXXXX", .id = "a",
				  .services = services, .times = times,
				  .dictionary = dictionary };
	cr_assert_not_null(mkdtemp(b->folder));
	b->path = xasprintf("%s/epg", b->folder);
	if (saved != NULL)
		epg_bench_write_file(b, saved);
	service_rig_init(&b->rig, "sluice-worker");
	start(b);
}

void epg_bench_init_with(struct epg_bench *b, const char *saved,
			 struct epg_times times)
{
	init(b, saved, times, 0, NULL);
}

void epg_bench_init_dictionary(struct epg_bench *b, const char *saved,
			       struct epg_times times, const char *path)
{
	init(b, saved, times, 0, path);
}

void epg_bench_init_limit(struct epg_bench *b, const char *saved,
			  unsigned services)
{
	init(b, saved, (struct epg_times){ 0 }, services, NULL);
}

void epg_bench_init(struct epg_bench *b, const char *saved)
{
	init(b, saved, (struct epg_times){ 0 }, 0, NULL);
}

void epg_bench_done(struct epg_bench *b)
{
	service_rig_stop(&b->rig, epg_proc_service(b->proc));
	epg_proc_free(&b->proc);
	service_rig_done(&b->rig);
	(void)unlink(b->path);
	(void)rmdir(b->folder);
	free(b->path);
}

void epg_bench_wait_loaded(struct epg_bench *b)
{
	rig_run_until(b->rig.loop, is_loaded, b, EPG_BENCH_PATIENCE_MS,
		      "a status");
}

void epg_bench_on_done(const struct epg_answer *answer, void *arg)
{
	struct asked *a = arg;

	a->len = answer->len;
	(void)snprintf(a->error, sizeof a->error, "%s", answer->error);
	a->done++;
}

static bool is_done(void *arg)
{
	return ((const struct asked *)arg)->done > 0;
}

int epg_bench_ask(struct epg_bench *b, struct asked *a)
{
	const struct msg_epg_ask question = {
		.stream = b->id, .to_s = UINT32_MAX, .max = 10 };

	*a = (struct asked){ 0 };
	return epg_proc_ask(b->proc, &question, epg_bench_on_done, a);
}

void epg_bench_wait_answer(struct epg_bench *b, struct asked *a)
{
	rig_run_until(b->rig.loop, is_done, a, EPG_BENCH_PATIENCE_MS,
		      "an answer");
}

/* A saved event of the stream that begins in an hour. */
void epg_bench_format_event(char *text, size_t size, const char *stream)
{
	long long start_s = (long long)time(NULL) + 3600;

	(void)snprintf(text, size, "{\"stream\":\"%s\",\"pnr\":7,\"event\":{"
		       "\"event_id\":1,\"start\":%lld,\"stop\":%lld,"
		       "\"running_status\":0,\"texts\":[]}}\n", stream,
		       start_s, start_s + 60);
}

pid_t epg_bench_pause(void)
{
	pid_t pid = rig_find_child("epg");

	cr_assert_gt(pid, 0);
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	return pid;
}

/* The worker has loaded an event of the stream. */
void epg_bench_init_event(struct epg_bench *b)
{
	char text[300];

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_init(b, text);
	epg_bench_wait_loaded(b);
}
