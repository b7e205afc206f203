/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/unknown_keys.h"

#include "common/base/util.h"
#include "master/config/judge.h"
#include "proto/spec/stream_spec.h"

#include <stdbool.h>
#include <string.h>

enum {
	KEY_MAX = 64,  /* of keys that are compared */
	SLIP_MAX = 2,  /* letters that make a slip */
};

/* Keys of one object: a list, or those of a table. */
struct known {
	const char *const *keys;
	size_t n;
	const struct field *rows; /* keys is NULL */
};

#define LIST(list) { .keys = (list), .n = ARRAY_LEN(list) }

static const char *key_of(const struct known *k, size_t i)
{
	return k->keys != NULL ? k->keys[i] : k->rows[i].key;
}

static struct known stream_options(void)
{
	return (struct known){ .rows = stream_option_fields.rows,
			       .n = stream_option_fields.n };
}

static const char *const document_keys[] = {
	"auth", "cas", "categories", "dvb_tune", "gid", "log", "make_stream",
	"output", "servers", "settings", "softcam", "users",
};

static const char *const settings_keys[] = {
	"allow_real_ip", "backup_return_delay", "backup_start_delay",
	"cc_limit", "connections_per_address", "control_path",
	"control_port", "control_tls_only", "crt_chain", "crt_key",
	"http_server_name", "instance_name", "playlist_arrange",
	"querier_timeout", "real_ip_trusted", "tsdb_interval",
};

static const char *const auth_keys[] = {
	"backend", "enable", "http_ip_allow", "http_ip_deny",
	"http_token_deny", "iptvportal", "ministra", "promo", "securetoken",
	"smarty", "x_real_ip",
};

static const char *const log_keys[] = {
	"api_access", "debug", "filename", "max_file_size", "stdout",
	"syslog",
};

/* Besides those of proto/spec/stream_spec. */
static const char *const stream_keys[] = {
	"cas_list", "cat_version", "enable", "groups", "http_keep_active",
	"id", "input", "name", "nit_version", "output", "pat_version",
	"pmt_version", "sdt_version", "type",
};

/* How many letters make one of the other, to be added, removed or changed. */
static size_t distance(const char *a, const char *b)
{
	size_t before[KEY_MAX + 1], row[KEY_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > KEY_MAX || m > KEY_MAX)
		return KEY_MAX;
	for (size_t j = 0; j <= m; j++)
		before[j] = j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t change = before[j - 1] +
					(a[i - 1] != b[j - 1] ? 1 : 0);

			row[j] = MIN(MIN(before[j], row[j - 1]) + 1, change);
		}
		memcpy(before, row, (m + 1) * sizeof *row);
	}
	return before[m];
}

static bool has(const struct known *k, const char *key)
{
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(key_of(k, i), key) == 0)
			return true;
	return false;
}

/* The known key that was meant, or NULL. */
static const char *meant(const struct known *all, size_t n, const char *key)
{
	const char *best = NULL;
	size_t least = SLIP_MAX + 1;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < all[i].n; k++) {
			size_t d = distance(key, key_of(&all[i], k));

			if (d < least && d < strlen(key)) {
				least = d;
				best = key_of(&all[i], k);
			}
		}
	}
	return best;
}

/* The keys of object that are in none of the n lists; near: those alone that
 * another one may have been meant by. */
static void look(struct judge *j, const json_t *object,
		 const struct known *all, size_t n, bool near)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		bool is_known = key[0] == '_';
		const char *other;

		for (size_t i = 0; i < n; i++)
			is_known = is_known || has(&all[i], key);
		if (is_known)
			continue;
		other = meant(all, n, key);
		if (near && other == NULL)
			continue;
		judge_say(j, CHECK_WARNING, "\"%.64s\" is not known%s%s%s",
			  key, other ? "; is it \"" : "", other ? other : "",
			  other ? "\"?" : "");
	}
}

static void look_below(struct judge *j, const json_t *document,
		       const char *key, struct known known)
{
	size_t mark = judge_down(j, key);

	look(j, json_object_get(document, key), &known, 1, false);
	judge_up(j, mark);
}

static void look_at_stream(struct judge *j, const json_t *stream)
{
	struct known all[2] = { LIST(stream_keys) };
	struct errmsg why;

	all[1] = stream_options();
	look(j, stream, all, ARRAY_LEN(all), false);
	if (json_is_true(json_object_get(stream, "enable")) &&
	    check_stream_idle(stream, &why))
		judge_say(j, CHECK_WARNING, "is enabled and does not run: %s",
			  why.text);
}

void slips_find(const json_t *document, check_found_fn *found, void *arg)
{
	struct known top = LIST(document_keys);
	struct judge j = { .found = found, .arg = arg };
	const json_t *stream;
	size_t mark, i;

	look(&j, document, &top, 1, false);
	look_below(&j, document, "settings",
		   (struct known)LIST(settings_keys));
	look_below(&j, document, "auth",
		   (struct known)LIST(auth_keys));
	look_below(&j, document, "log",
		   (struct known)LIST(log_keys));
	mark = judge_down(&j, "make_stream");
	json_array_foreach(json_object_get(document, "make_stream"), i,
			   stream) {
		size_t inner = judge_down_index(&j, i);

		look_at_stream(&j, stream);
		judge_up(&j, inner);
	}
	judge_up(&j, mark);
}

void slips_find_near(const json_t *stream, const char *path,
		     check_found_fn *found, void *arg)
{
	struct known all[2] = { LIST(stream_keys) };
	struct judge j = { .found = found, .arg = arg };

	all[1] = stream_options();
	(void)judge_down(&j, path);
	look(&j, stream, all, ARRAY_LEN(all), true);
}
