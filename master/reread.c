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

/* The file cannot be used: the log and the alarm name the reason. */
static void fail(const struct reread *r, const char *error)
{
	log_error("config", "SIGHUP: reload failed, nothing changed: %s",
		  error);
	api_reload_failed(r->cfg.api, error);
}

/* Logs every error; false with the first one. */
static bool is_sound(const struct reread *r, const json_t *document,
		     struct errmsg *ret)
{
	struct check_result result;
	const json_t *port = json_object_get(
		json_object_get(document, "settings"), "control_port");
	struct sockaddr_any control;

	if (options_control_address(r->cfg.options, port, &control, ret) < 0)
		return false;
	result = check_log(document, &control);
	if (result.faults > 1)
		errmsg_set(ret, "%u errors, the first: %s", result.faults,
			   result.first.text);
	else
		*ret = result.first;
	return result.faults == 0;
}

/* A change through the API that is not yet saved replaces the file. */
static bool is_overtaken(const struct reread *r)
{
	if (config_is_saved(r->cfg.config))
		return false;
	log_warning("config", "SIGHUP: reload ignored: a change made through "
			      "the API is about to overwrite the file");
	return true;
}

static void on_read(int result, const json_t *document,
		    const struct errmsg *error, void *arg)
{
	struct reread *r = arg;
	struct errmsg fault = { 0 };

	if (r->stopped || result == -ECANCELED)
		return;
	if (result < 0)
		fail(r, result == -ENOENT ? "file not found" : error->text);
	else if (!is_sound(r, document, &fault))
		fail(r, fault.text);
	else if (is_overtaken(r))
		return;
	else if (api_reload(r->cfg.api, document))
		log_info("config", "SIGHUP: configuration reloaded");
	else
		r->cfg.restart(r->cfg.arg);
}

void reread_ask(struct reread *r)
{
	if (r->stopped)
		return;
	if (config_path(r->cfg.config) == NULL)
		log_info("config",
			 "SIGHUP: ignored: sluice runs without a file");
	else if (!is_overtaken(r))
		config_read_file(r->cfg.config, on_read, r);
}

void reread_stop(struct reread *r)
{
	r->stopped = true;
}

struct reread *reread_new(const struct reread_config *cfg)
{
	struct reread *r = xcalloc(1, sizeof *r);

	r->cfg = *cfg;
	return r;
}

void reread_free(struct reread **r)
{
	free(*r);
	*r = NULL;
}
