/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the section auth. */
#include "common/base/ip_prefix.h"
#include "master/config/config_fields.h"
#include "master/config/judge.h"
#include "master/config/viewer_settings.h"

#include <string.h>

/* Reports rules of a wrong type, which are not enforced. */
static void judge_rule_shapes(struct judge *j, const json_t *auth)
{
	static const struct {
		const char *key;
		json_type type;
		const char *error;
	} rules[] = {
		{ "http_ip_allow", JSON_ARRAY, "is not a list" },
		{ "http_ip_deny", JSON_ARRAY, "is not a list" },
		{ "http_token_deny", JSON_ARRAY, "is not a list" },
		{ "promo", JSON_STRING, "is not a string" },
		{ "x_real_ip", JSON_TRUE, "is not true or false" },
	};
	enum check_severity severity = json_is_true(
		json_object_get(auth, "enable")) ? CHECK_FAULT : CHECK_WARNING;
	const json_t *item, *tokens = json_object_get(auth, "http_token_deny");
	size_t i, mark;

	for (i = 0; i < ARRAY_LEN(rules); i++) {
		const json_t *rule = json_object_get(auth, rules[i].key);

		if (rule == NULL || json_is_null(rule) ||
		    json_typeof(rule) == rules[i].type ||
		    (json_is_false(rule) && rules[i].type == JSON_TRUE) ||
		    (json_is_object(rule) && json_object_size(rule) == 0 &&
		     rules[i].type == JSON_ARRAY))
			continue;
		mark = judge_down(j, rules[i].key);
		judge_add(j, severity, "%s: the key is ignored",
			  rules[i].error);
		judge_up(j, mark);
	}
	json_array_foreach((json_t *)(uintptr_t)tokens, i, item) {
		size_t list = judge_down(j, "http_token_deny");

		mark = judge_down_index(j, i);
		if (!json_is_string(item))
			judge_add(j, severity, "is not a string: the token is "
					       "ignored");
		judge_up(j, mark);
		judge_up(j, list);
	}
}

/* Reports errors in securetoken, promo and x_real_ip. */
static void judge_rules(struct judge *j, const json_t *auth,
			const json_t *settings)
{
	const json_t *secret = json_object_get(auth, "securetoken");
	const char *promo = json_string_value(json_object_get(auth, "promo"));
	bool enabled = json_is_true(json_object_get(auth, "enable"));
	const char *error = NULL;
	size_t mark;

	if (secret != NULL && !json_is_null(secret) &&
	    !json_is_integer(secret) && !json_is_string(secret))
		error = "is neither a text nor an integer";
	else if (json_string_length(secret) >= VIEWER_SECRET_MAX)
		error = "is too long";
	mark = judge_down(j, "securetoken");
	if (error != NULL)
		judge_add(j, enabled ? CHECK_FAULT : CHECK_WARNING, "%s",
			  error);
	judge_up(j, mark);
	mark = judge_down(j, "promo");
	if (promo != NULL && promo[0] != '\0' &&
	    !viewer_location_is_valid(promo))
		judge_add(j, enabled ? CHECK_FAULT : CHECK_WARNING,
			  "is not a URL");
	else if (promo != NULL && promo[0] != '\0' && promo[0] != '/' &&
		 strstr(promo, "://") == NULL)
		judge_add(j, CHECK_WARNING, "\"%.64s\" does not begin with "
					    "http:// or https://: players take "
					    "it as relative to the address of "
					    "the stream", promo);
	judge_up(j, mark);
	mark = judge_down(j, "x_real_ip");
	if (json_is_true(json_object_get(auth, "x_real_ip")) &&
	    settings != NULL && json_array_size(json_object_get(
		    settings, "real_ip_trusted")) == 0)
		judge_add(j, CHECK_WARNING, "has no effect without the "
			  "proxies in settings.real_ip_trusted");
	judge_up(j, mark);
}

/* Judges the backend, which decides about viewers without a rule. */
static void judge_backend(struct judge *j, const json_t *auth)
{
	bool enabled = json_is_true(json_object_get(auth, "enable"));
	char url[VIEWER_URL_MAX];
	struct errmsg error;
	size_t mark;

	if (viewer_backend_url(auth, url, &error) < 0) {
		judge_add(j, enabled ? CHECK_FAULT : CHECK_WARNING, "%s: the "
								    "key is "
								    "ignored",
			  error.text);
		return;
	}
	mark = judge_down(j, "backend_unreachable");
	if (enabled && url[0] != '\0' &&
	    json_object_get(auth, "backend_unreachable") == NULL)
		judge_add(j, CHECK_WARNING, "is missing: while the backend "
			  "does not answer, new viewers are allowed; set it "
			  "to \"allow\" or \"deny\"");
	judge_up(j, mark);
}

/* Items of the address lists that are not addresses are only a warning: they
 * have no effect. */
void judge_auth(struct judge *j, const json_t *document)
{
	static const char *const lists[] = { "http_ip_allow", "http_ip_deny" };
	const json_t *section = json_object_get(document, "auth");
	size_t outer = judge_down(j, "auth");
	const json_t *value = json_object_get(section, "enable");
	size_t enable = judge_down(j, "enable");

	if (check_closes_viewers(document) && !json_is_true(value))
		judge_add(j, CHECK_FAULT, "is not true or false, so all http "
			  "outputs stay closed");
	judge_up(j, enable);
	if (json_is_object(section)) {
		judge_fields(j, &auth_fields, section, NULL);
		judge_rule_shapes(j, section);
		judge_rules(j, section, json_object_get(document, "settings"));
		judge_backend(j, section);
	}
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		size_t mark = judge_down(j, lists[k]), i;
		struct ip_prefix prefix;
		json_t *item;

		json_array_foreach(json_object_get(section, lists[k]), i,
				   item) {
			const char *text = json_string_value(item);
			size_t inner = judge_down_index(j, i);

			if (text == NULL || ip_prefix_parse(text, &prefix) < 0)
				judge_add(j, CHECK_WARNING, "is not an address "
							    "or network: the "
							    "entry has no "
							    "effect");
			judge_up(j, inner);
		}
		judge_up(j, mark);
	}
	judge_up(j, outer);
}
