/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/reread.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/sockaddr.h"
#include "common/loop/timer.h"
#include "master/api/api.h"
#include "master/config/check_log.h"
#include "master/config/config.h"
#include "master/config/loadable.h"
#include "master/setup/options.h"

#include <errno.h>
#include <ev.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SAVE_LIMIT_S = 5 };

struct reread {
	struct reread_config cfg;
	bool stopped;
};

/* One read of the file. */
struct reading {
	struct reread *reread;
	reload_done_fn *done; /* NULL: requested by SIGHUP */
	void *arg;
	/* The next four members are used if a save was writing the file when
	 * the request came.  limit: time limit of that save. */
	ev_timer limit;
	bool ended;  /* the limit has passed; the next callback frees this */
	bool waited; /* the file existed when the request came */
	/* digest of the file when the request came; "": not readable */
	char before[SECRET_TEXT];
	struct errmsg warning;    /* for the result of the reload; "": none */
};

static const char *name_of(const struct reading *g)
{
	return g->done != NULL ? "API" : "SIGHUP";
}

static void end(struct reading *g, const struct reload_result *result)
{
	ev_timer_stop(g->reread->cfg.loop, &g->limit);
	if (g->done != NULL)
		g->done(result, g->arg);
	free(g);
}

static void end_unused(struct reading *g, int status, const char *error)
{
	end(g, &(struct reload_result){ .status = status, .error = error });
}

/* Ends a read of a file that cannot be used: the log and an alarm have the
 * reason. */
static void fail(struct reading *g, const char *error)
{
	log_error("config", "%s: reload failed, nothing changed: %s",
		  name_of(g), error);
	api_reload_failed(g->reread->cfg.api, error);
	end_unused(g, 400, error);
}

bool reread_is_sound(const struct options *options,
		     const struct write_paths *own_paths,
		     const json_t *document, struct errmsg *ret)
{
	struct check_result result;
	const json_t *port = json_object_get(
		json_object_get(document, "settings"), "control_port");
	struct sockaddr_any control;

	if (options_control_address(options, port, &control, ret) < 0)
		return false;
	result = check_log(document, &control, own_paths);
	if (result.faults > 1)
		errmsg_set(ret, "%u errors, the first: %s", result.faults,
			   result.first.text);
	else
		*ret = result.first;
	return result.faults == 0;
}

/* True: a change that is not saved yet will overwrite the file, so the reload
 * is ignored; ret has the reason. */
static bool is_overtaken(const struct reread *r, const char *name,
			 struct errmsg *ret)
{
	struct errmsg unsaved;

	if (config_is_saved(r->cfg.config))
		return false;
	if (config_save_error(r->cfg.config, &unsaved))
		errmsg_set(ret, "a change made through the API would overwrite "
			   "the file, and cannot be saved: %s", unsaved.text);
	else
		errmsg_set(ret, "a change made through the API is about to "
			   "overwrite the file, which is kept as %s.1: in a "
			   "second, edit the file again or repeat the reload",
			   config_path(r->cfg.config));
	log_warning("config", "%s: reload ignored: %s", name, ret->text);
	return true;
}

static void on_taken(const struct reload_result *result, void *arg)
{
	struct reading *g = arg;
	struct reload_result warned = *result;

	if (g->warning.text[0] != '\0')
		warned.warning = g->warning.text;
	if (result->error != NULL && !g->reread->stopped)
		log_error("config", "%s: %s", name_of(g), result->error);
	else if (result->error == NULL)
		log_info("config", "%s: configuration reloaded%s", name_of(g),
			 result->restarts ? ", a restart follows" : "");
	end(g, &warned);
}

/* True: the service wrote the document with this digest. */
static bool is_own(const struct reread *r, const char *digest)
{
	json_t *known = config_known(r->cfg.config), *one;
	bool is = false;
	size_t i;

	json_array_foreach(known, i, one)
		is |= strcmp(json_string_value(one), digest) == 0;
	json_decref(known);
	return is;
}

/* Warns if the save for whose end the reload waited has replaced the file: a
 * manual change of the file before the request may be lost. */
static void warn_replaced(struct reading *g, const json_t *document)
{
	const struct reread *r = g->reread;
	char now[SECRET_TEXT];

	if (!g->waited)
		return;
	loadable_digest(document, now);
	if (strcmp(now, g->before) == 0 || !is_own(r, now))
		return;
	errmsg_set(&g->warning, "the save of a change made through the API has "
		   "replaced the file after the request: if the file was "
		   "edited before, edit it again (see %s.1)",
		   config_path(r->cfg.config));
	log_warning("config", "%s: %s", name_of(g), g->warning.text);
}

static void on_read(int result, const json_t *document,
		    const struct errmsg *error, void *arg)
{
	struct reading *g = arg;
	const struct reread *r = g->reread;
	struct errmsg fault = { 0 };

	if (r->stopped || result == -ECANCELED)
		end_unused(g, 500, "the service is stopping");
	else if (is_overtaken(r, name_of(g), &fault))
		end_unused(g, 409, fault.text);
	else if (result < 0)
		fail(g, result == -ENOENT ? "the configuration file does not "
					    "exist" : error->text);
	else if (!reread_is_sound(r->cfg.options, r->cfg.own_paths, document,
				  &fault))
		fail(g, fault.text);
	else {
		warn_replaced(g, document);
		api_reload(r->cfg.api, document, on_taken, g);
	}
}

/* The save that was in progress at the request has ended. */
static void on_written(int result, const struct errmsg *error, void *arg)
{
	struct reading *g = arg;
	const struct reread *r = g->reread;
	struct errmsg unsaved;

	(void)error;
	ev_timer_stop(r->cfg.loop, &g->limit);
	if (g->ended)
		free(g);
	else if (r->stopped || result == -ECANCELED)
		end_unused(g, 500, "the service is stopping");
	else if (is_overtaken(r, name_of(g), &unsaved))
		end_unused(g, 409, unsaved.text);
	else
		config_read_file(r->cfg.config, 0, on_read, g);
}

/* The file was read for warn_replaced(), while a save was writing it. */
static void on_seen(int result, const json_t *document,
		    const struct errmsg *error, void *arg)
{
	struct reading *g = arg;

	(void)error;
	g->waited = result != -ENOENT;
	if (result == 0)
		loadable_digest(document, g->before);
	if (result == -ECANCELED)
		on_written(result, NULL, g);
	else
		config_wait(g->reread->cfg.config, on_written, g);
}

/* The save has not ended within SAVE_LIMIT_S: the reload is ignored, unless all
 * changes are saved by now. */
static void on_limit(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct reading *g = container_of(w, struct reading, limit);
	struct errmsg unsaved;

	(void)loop, (void)revents;
	g->ended = is_overtaken(g->reread, name_of(g), &unsaved);
	if (g->ended && g->done != NULL)
		g->done(&(struct reload_result){ .status = 409,
						 .error = unsaved.text },
			g->arg);
}

/* Reads the file, after the end of a save that is in progress. */
static void read_file(struct reread *r, reload_done_fn *done, void *arg)
{
	struct reading *g = xcalloc(1, sizeof *g);

	*g = (struct reading){ .reread = r, .done = done, .arg = arg };
	ev_init(&g->limit, on_limit);
	if (!config_is_writing(r->cfg.config)) {
		config_read_file(r->cfg.config, 0, on_read, g);
		return;
	}
	timer_start(r->cfg.loop, &g->limit, SAVE_LIMIT_S);
	config_read_file(r->cfg.config, 0, on_seen, g);
}

/* True: the save of a change has not begun and would overwrite the file, so the
 * reload is ignored; ret has the reason.  False as well during a save, for
 * whose end the reload waits. */
static bool is_early(const struct reread *r, const char *name,
		     struct errmsg *ret)
{
	return !config_is_writing(r->cfg.config) &&
	       is_overtaken(r, name, ret);
}

void reread_ask(struct reread *r)
{
	struct errmsg unsaved;

	if (r->stopped)
		return;
	if (config_path(r->cfg.config) == NULL)
		log_info("config",
			 "SIGHUP: ignored: sluice runs without a configuration "
			 "file (-c)");
	else if (!is_early(r, "SIGHUP", &unsaved))
		read_file(r, NULL, NULL);
}

/* Implements reload_fn for the command reload: reads and applies the file. */
static int read_for(reload_done_fn *done, void *done_arg, struct errmsg *ret,
		    void *arg)
{
	struct reread *r = arg;

	if (config_path(r->cfg.config) == NULL)
		return -ENOENT;
	if (r->stopped)
		return errmsg_fail(ret, -EBUSY, "the service is stopping");
	if (is_early(r, "API", ret))
		return -EBUSY;
	read_file(r, done, done_arg);
	return 0;
}

void reread_stop(struct reread *r)
{
	r->stopped = true;
}

struct reread *reread_new(const struct reread_config *cfg)
{
	struct reread *r = xcalloc(1, sizeof *r);

	r->cfg = *cfg;
	api_set_reload(cfg->api, read_for, r);
	return r;
}

void reread_free(struct reread **r)
{
	free(*r);
	*r = NULL;
}
