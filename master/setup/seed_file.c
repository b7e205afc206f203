/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/seed_file.h"

#include "common/account/secret.h"
#include "common/base/log.h"
#include "common/document/document.h"
#include "common/document/replace.h"
#include "master/setup/state_path.h"

#include <stdlib.h>

static uint64_t new_seed(void)
{
	uint64_t seed;

	secret_random(&seed, sizeof seed);
	return seed >> 1 | 1;
}

/* Reads the seed of the file; 0: it has none. */
static uint64_t load(const char *path)
{
	struct errmsg error;
	json_t *document = NULL;
	json_int_t seed = 0;

	if (document_load(path, &document, &error) == 0)
		seed = json_integer_value(json_object_get(document, "seed"));
	json_decref(document);
	return seed > 0 ? (uint64_t)seed : 0;
}

static void save(const char *path, uint64_t seed)
{
	json_t *document = json_pack("{s:I}", "seed", (json_int_t)seed);
	struct errmsg error;
	size_t len;
	char *text = document_format(document, &len);

	if (text != NULL && replace_file(path, text, len, &error) < 0)
		log_warning("deliver", "%s: %s: players with "
				       "hls_session_playlists lose their "
				       "session at the next start",
			    path, error.text);
	free(text);
	json_decref(document);
}

/* Returns the path of the file, to be freed; NULL: the seed ends with the
 * service. */
static char *path_of(const char *config_path, const json_t *settings)
{
	return json_is_true(json_object_get(settings, "hls_session_playlists"))
		? state_file(config_path, "seed") : NULL;
}

uint64_t seed_file(const char *config_path, const json_t *settings)
{
	char *path = path_of(config_path, settings);
	uint64_t seed = 0;

	if (path != NULL) {
		seed = load(path);
		if (seed == 0)
			save(path, seed = new_seed());
	}
	free(path);
	return seed != 0 ? seed : new_seed();
}

void seed_file_keep(const char *config_path, const json_t *settings,
		    uint64_t seed)
{
	char *path = path_of(config_path, settings);

	if (path != NULL && load(path) != seed)
		save(path, seed);
	free(path);
}
