/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/alarms.h"

#include "common/base/alloc.h"
#include "common/base/clock_sync.h"
#include "common/base/errmsg.h"
#include "common/loop/timer.h"
#include "common/supervise/tls_proc.h"
#include "common/ws/hub.h"
#include "master/api/command.h"
#include "master/auth/auth.h"
#include "master/status/system_alarms.h"
#include "master/config/certificate_time.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/adapter_procs.h"
#include "master/streams/epg_exports.h"
#include "master/streams/epg_proc.h"
#include "master/streams/mpts.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_S = 1 };

struct alarms {
	struct api *api;
	ev_timer timer;
	struct system_alarms *state;
	uint64_t changes;
	struct errmsg reload; /* why the last reload failed; "": it did not */
	/* config_changes() at the time of the last reload */
	unsigned reload_changes;
};

/* Adds an alarm if the system clock is not synchronised and enabled streams
 * send the time of this clock in their TDT and TOT. */
static void add_clock(json_t *list, const json_t *streams)
{
	const char *first = NULL;
	size_t i, n = 0;
	json_t *stream;
	char sentence[320];

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream) {
		if (!json_is_true(json_object_get(stream, "enable")) ||
		    !mpts_has_clock(stream))
			continue;
		if (n++ == 0)
			first = json_string_value(json_object_get(stream,
								  "name"));
	}
	if (n == 0 || clock_sync_read() != CLOCK_SYNC_NO)
		return;
	(void)snprintf(sentence, sizeof sentence, "the system clock is not "
		       "synchronised: check the time service, for example by "
		       "timedatectl; TDT and TOT of %zu stream%s carry its "
		       "time (the first: \"%.64s\")", n, n == 1 ? "" : "s",
		       first != NULL ? first : "");
	system_alarms_add(list, "clock", NULL, sentence);
}

static void add_services(json_t *list, struct reconciler *r)
{
	const char *tls = tls_proc_error(reconciler_tls(r)), *name, *text;
	char sentence[640];

	if (tls != NULL) {
		(void)snprintf(sentence, sizeof sentence, "tls: %s", tls);
		system_alarms_add(list, "tls", NULL, sentence);
	}
	text = deliver_proc_play_error(reconciler_deliver(r));
	if (text != NULL) {
		(void)snprintf(sentence, sizeof sentence, "http_play_port: %s",
			       text);
		system_alarms_add(list, "play", NULL, sentence);
	}
	for (size_t i = 0;; i++) {
		text = reconciler_service_alarm(r, i, &name);
		if (name == NULL)
			return;
		if (text == NULL)
			continue;
		(void)snprintf(sentence, sizeof sentence, "%s worker: %s", name,
			       text);
		system_alarms_add(list, "worker", name, sentence);
	}
}

/* Adds an alarm of the guide; its subject is the setting with which text
 * begins. */
static void add_setting(json_t *list, const char *text)
{
	char setting[64];

	if (text == NULL)
		return;
	(void)snprintf(setting, sizeof setting, "%.*s",
		       (int)strcspn(text, ":"), text);
	system_alarms_add(list, "epg", setting, text);
}

static void add_guide(json_t *list, const struct api *api)
{
	const struct msg_epg_status *s =
		epg_proc_status(reconciler_epg(api->cfg.reconciler));
	const char *text;
	bool known;

	for (size_t i = 0; s != NULL && i < s->n_errors; i++)
		add_setting(list, s->errors[i]);
	for (size_t i = 0;; i++) {
		text = epg_exports_error(api->exports, i, &known);
		if (!known)
			return;
		add_setting(list, text);
	}
}

static void add_adapter(json_t *list, const char *id, const char *text)
{
	char sentence[640];

	(void)snprintf(sentence, sizeof sentence, "adapter %s: %s", id, text);
	system_alarms_add(list, "adapter", id, sentence);
}

static void add_adapters(json_t *list, const struct api *api)
{
	const struct adapter_procs *adapters =
		reconciler_adapters(api->cfg.reconciler);
	const char *id, *text;
	const json_t *value;

	json_object_foreach(api->lnb_misfits, id, value)
		add_adapter(list, id, json_string_value(value));
	for (size_t i = 0;; i++) {
		text = adapter_procs_alarm(adapters, i, &id);
		if (id == NULL)
			return;
		if (text != NULL)
			add_adapter(list, id, text);
	}
}

/* Adds an alarm for each member of sentences: key: its subject, value: its
 * text. */
static void add_all(json_t *list, const char *name, const json_t *sentences)
{
	const char *subject;
	const json_t *item;

	json_object_foreach((json_t *)(uintptr_t)sentences, subject, item)
		system_alarms_add(list, name, subject,
				  json_string_value(item));
}

/* Adds an alarm if the certificate has expired or soon will. */
static void add_certificate(json_t *list, struct reconciler *r)
{
	const struct tls_facts *facts = tls_proc_facts(reconciler_tls(r));
	struct errmsg error, text;

	if (!certificate_time_alarm(facts, time(NULL), &error))
		return;
	errmsg_set(&text, "tls: %s", error.text);
	system_alarms_add(list, "tls", "certificate", text.text);
}

static json_t *collect(struct alarms *a)
{
	const struct api_config *cfg = &a->api->cfg;
	json_t *list = json_array();
	const char *restart;
	struct errmsg error;

	if (a->reload_changes != config_changes(cfg->config))
		a->reload.text[0] = '\0';
	add_all(list, "configuration", config_alarms(cfg->config));
	if (a->reload.text[0] != '\0')
		system_alarms_add(list, "reload", NULL, a->reload.text);
	if (cfg->restart_error != NULL &&
	    (restart = cfg->restart_error(cfg->arg)) != NULL)
		system_alarms_add(list, "restart", NULL, restart);
	if (config_save_error(cfg->config, &error))
		system_alarms_add(list, "save", config_path(cfg->config),
				  error.text);
	if (cfg->auth != NULL && auth_save_error(cfg->auth) != NULL) {
		errmsg_set(&error, "the sessions are not saved: %s",
			   auth_save_error(cfg->auth));
		system_alarms_add(list, "save", "sessions", error.text);
	}
	if (cfg->log_error != NULL && cfg->log_error(&error, cfg->arg) < 0)
		system_alarms_add(list, "log", NULL, error.text);
	if (cfg->viewers != NULL && viewers_backend_error(cfg->viewers, &error))
		system_alarms_add(list, "backend", NULL, error.text);
	add_services(list, cfg->reconciler);
	add_guide(list, a->api);
	add_adapters(list, a->api);
	add_certificate(list, cfg->reconciler);
	add_all(list, "host", api_host_advice(a->api));
	add_clock(list, config_section(cfg->config, "make_stream"));
	return list;
}

static void look(struct alarms *a)
{
	json_t *events = system_alarms_take(a->state, collect(a));
	json_t *event;
	size_t i;

	a->changes += json_array_size(events);
	json_array_foreach(events, i, event)
		hub_broadcast_more(a->api->cfg.hub, event);
	if (json_array_size(events) > 0 && a->api->cfg.on_alarm != NULL)
		a->api->cfg.on_alarm(a->api->cfg.arg);
	json_decref(events);
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	look(container_of(w, struct alarms, timer));
}

struct alarms *alarms_new(struct api *api)
{
	struct alarms *a = xcalloc(1, sizeof *a);

	a->api = api;
	a->state = system_alarms_new();
	ev_init(&a->timer, on_timer);
	return a;
}

void alarms_start(struct alarms *a)
{
	/* the first look is after the start, which takes over the history */
	timer_repeat(a->api->cfg.loop, &a->timer, 0., LOOK_S);
}

uint64_t alarms_changes(const struct alarms *a)
{
	return a->changes;
}

struct system_alarms *alarms_state(struct alarms *a)
{
	return a->state;
}

void alarms_free(struct alarms **p)
{
	struct alarms *a = *p;

	*p = NULL;
	if (a == NULL)
		return;
	ev_timer_stop(a->api->cfg.loop, &a->timer);
	system_alarms_free(&a->state);
	free(a);
}

void alarms_set_reload(struct alarms *a, const char *error)
{
	struct errmsg before = a->reload;

	if (error != NULL)
		errmsg_set(&a->reload, "reload failed, nothing changed: %s",
			   error);
	else
		a->reload.text[0] = '\0';
	a->reload_changes = config_changes(a->api->cfg.config);
	if (strcmp(before.text, a->reload.text) != 0)
		system_alarms_repeat(a->state, "reload");
	look(a);
}

json_t *alarms_sentences(struct alarms *a)
{
	json_t *list = collect(a);
	json_t *sentences = system_alarms_sentences(list);

	status_worker_alarms(a->api->cfg.status, sentences);
	json_decref(list);
	return sentences;
}

json_t *alarms_list(struct alarms *a)
{
	look(a);
	return system_alarms_list(a->state);
}
