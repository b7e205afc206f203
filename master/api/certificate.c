/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/certificate.h"

#include "common/base/alloc.h"
#include "master/api/call.h"
#include "master/api/reply_after_save.h"
#include "master/streams/reconciler.h"
#include "common/supervise/pem_source.h"
#include "common/supervise/spawn.h"
#include "common/supervise/tls_proc.h"
#include "proto/ipc/contract.h"

#include <errno.h>
#include <ev.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct judging {
	struct call *call;
	struct tls_judgement *judgement;
	command_fn *again;
};

/* Returns a setting that is not empty, borrowed; NULL: none. */
static json_t *get(const json_t *settings, const char *key)
{
	json_t *value = json_object_get(settings, key);

	return json_string_length(value) > 0 ? value : NULL;
}

json_t *certificate_hide(const json_t *settings)
{
	json_t *copy = json_copy((json_t *)(uintptr_t)settings);
	const char *key = json_string_value(json_object_get(copy, "crt_key"));

	if (key != NULL && pem_source_is_text(key))
		(void)json_object_del(copy, "crt_key");
	return copy;
}

void certificate_apply(struct api *api)
{
	const json_t *settings = config_section(api->cfg.config, "settings");
	json_t *chain = get(settings, "crt_chain");
	json_t *key = get(settings, "crt_key");
	const char *file = json_string_value(key);
	bool both = chain != NULL && key != NULL;

	if (file != NULL && pem_source_is_text(file))
		file = NULL;
	(void)spawner_set_variable(reconciler_spawner(api->cfg.reconciler),
				   SPAWN_KEY, file);
	tls_proc_set(reconciler_tls(api->cfg.reconciler), both ? chain : NULL,
		     both ? key : NULL);
}

/* --- the certificate in use --- */

enum { DAY_S = 24 * 3600 };

static const struct tls_facts *facts_of(const struct api *api)
{
	return tls_proc_facts(reconciler_tls(api->cfg.reconciler));
}

static json_t *split_names(const char *names)
{
	json_t *list = json_array();

	for (size_t len; *names != '\0'; names += len) {
		names += strspn(names, ", ");
		len = strcspn(names, ",");
		if (len > 0)
			(void)json_array_append_new(list,
						    json_stringn(names, len));
	}
	return list;
}

json_t *certificate_facts(const struct api *api)
{
	const struct tls_facts *f = facts_of(api);

	if (f == NULL)
		return NULL;
	return json_pack("{s:s, s:s, s:o, s:s, s:I, s:I, s:I}", "subject",
			 f->subject, "issuer", f->issuer, "names",
			 split_names(f->names), "key", f->key, "not_before",
			 (json_int_t)f->begin_s, "not_after",
			 (json_int_t)f->end_s, "days_left",
			 (json_int_t)((f->end_s - time(NULL)) / DAY_S));
}

static void on_gone(void *arg)
{
	struct judging *j = arg;

	tls_judgement_cancel(&j->judgement);
	free(j);
}

static void on_judged(int result, const struct errmsg *error, void *arg)
{
	struct judging *j = arg;
	struct call *call = j->call;
	command_fn *again = j->again;

	free(j);
	if (result == 0) {
		call->certified = true;
		call_again(call, again);
		return;
	}
	reply_error(call_reply(call), result == -EINVAL ? 400 : 503,
		    "settings.%s", error->text);
	call_finish(call);
}

/* A reply that waits for the check of the configured pair. */
struct answering {
	struct api *api;
	struct call *call;
	json_t *body;
	struct tls_judgement *judgement;
};

static void answering_free(struct answering *a)
{
	saved_restart_release(a->api);
	free(a);
}

static void drop_answer(void *arg)
{
	struct answering *a = arg;

	tls_judgement_cancel(&a->judgement);
	json_decref(a->body);
	answering_free(a);
}

static void give_answer(int result, const struct errmsg *error, void *arg)
{
	struct answering *a = arg;
	char *text = xasprintf("settings.%s", error->text);

	reply_json(call_reply(a->call), a->body);
	if (result != 0)
		reply_warn(call_reply(a->call), "", text);
	free(text);
	call_finish(a->call);
	answering_free(a);
}

void certificate_answer(struct call *call, json_t *body)
{
	struct api *api = call->api;
	const json_t *settings = config_section(api->cfg.config, "settings");
	const json_t *chain = get(settings, "crt_chain");
	const json_t *key = get(settings, "crt_key");
	struct answering *a = xcalloc(1, sizeof *a);

	*a = (struct answering){ .api = api, .call = call, .body = body };
	/* a restart that is due waits for the end of the check */
	saved_restart_hold(api);
	if (chain == NULL || key == NULL) {
		give_answer(0, &(struct errmsg){ 0 }, a);
		return;
	}
	a->judgement = tls_judgement_new(
		tls_proc_judgements(reconciler_tls(api->cfg.reconciler)),
		json_string_value(chain), json_string_value(key), give_answer,
		a);
	if (a->judgement == NULL) {
		give_answer(-EBUSY, &(struct errmsg){ .text =
			"crt_chain: cannot be checked now: too many "
			"certificates are being checked: try again" }, a);
		return;
	}
	call->on_gone = drop_answer;
	call->arg = a;
}

bool certificate_judge(struct api *api, const json_t *settings,
		       struct reply *reply, command_fn *again)
{
	const json_t *chain = get(settings, "crt_chain");
	const json_t *key = get(settings, "crt_key");
	const json_t *now = config_section(api->cfg.config, "settings");
	struct tls_proc *tls = reconciler_tls(api->cfg.reconciler);
	struct judging *j;

	if (reply->call->certified || chain == NULL || key == NULL ||
	    (json_equal(chain, get(now, "crt_chain")) &&
	     json_equal(key, get(now, "crt_key"))))
		return true;
	j = xcalloc(1, sizeof *j);
	j->judgement = tls_judgement_new(
		tls_proc_judgements(tls), json_string_value(chain),
		json_string_value(key), on_judged, j);
	if (j->judgement == NULL) {
		reply_error(reply, 503, "settings.crt_chain: cannot be checked "
					"now: too many certificates are being "
					"checked: try again");
		free(j);
		return false;
	}
	j->again = again;
	j->call = reply_later(reply, on_gone, j);
	return false;
}
