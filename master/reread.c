/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/reread.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/sockaddr.h"
#include "master/api/api.h"
#include "master/config/check_log.h"
#include "master/config/config.h"
#include "master/setup/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct reread {
	struct reread_config cfg;
	bool stopped;
};

/* One read of the file. */
struct reading {
	struct reread *reread;
	reload_done_fn *done; /* NULL: requested by SIGHUP */
	void *arg;
};

static const char *name_of(const struct reading *g)
{
	return g->done != NULL ? "API" : "SIGHUP";
}

static void end(struct reading *g, const struct reload_result *result)
{
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

	if (result->error != NULL && !g->reread->stopped)
		log_error("config", "%s: %s", name_of(g), result->error);
	else if (result->error == NULL)
		log_info("config", "%s: configuration reloaded%s", name_of(g),
			 result->restarts ? ", a restart follows" : "");
	end(g, result);
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
		fail(g, result == -ENOENT ? "file not found" : error->text);
	else if (!reread_is_sound(r->cfg.options, r->cfg.own_paths, document,
				  &fault))
		fail(g, fault.text);
	else
		api_reload(r->cfg.api, document, on_taken, g);
}

static void read_file(struct reread *r, reload_done_fn *done, void *arg)
{
	struct reading *g = xcalloc(1, sizeof *g);

	*g = (struct reading){ .reread = r, .done = done, .arg = arg };
	config_read_file(r->cfg.config, 0, on_read, g);
}

void reread_ask(struct reread *r)
{
	struct errmsg unsaved;

	if (r->stopped)
		return;
	if (config_path(r->cfg.config) == NULL)
		log_info("config",
			 "SIGHUP: ignored: sluice runs without a file");
	else if (!is_overtaken(r, "SIGHUP", &unsaved))
		read_file(r, NULL, NULL);
}

/* The reload_fn of the command reload; restarts if that is necessary. */
static int read_for(reload_done_fn *done, void *done_arg, struct errmsg *ret,
		    void *arg)
{
	struct reread *r = arg;

	if (config_path(r->cfg.config) == NULL)
		return -ENOENT;
	if (r->stopped)
		return errmsg_fail(ret, -EBUSY, "the service is stopping");
	if (is_overtaken(r, "API", ret))
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
