/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/recordings.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/supervise/spawn.h"
#include "master/api/apply.h"
#include "master/api/edit.h"
#include "master/config/stream_conf.h"
#include "master/streams/reconciler.h"
#include "proto/ipc/contract.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static void add_folder(json_t *folders, const char *file)
{
	char *path = xstrdup(file);

	/* a name that is not UTF-8 cannot occur in a JSON document */
	(void)json_object_set_new(folders, dirname(path), json_true());
	free(path);
}

/* Returns the folders, one a line; free() the text.  For too many folders
 * returns "/", which stands for all folders: an input with a list then plays
 * only files below the folder of the list. */
static char *format(const json_t *folders)
{
	struct buf text = { 0 };
	const char *folder;
	json_t *value;
	char *copy;

	json_object_foreach((json_t *)(uintptr_t)folders, folder, value) {
		if (buf_len(&text) > 0)
			buf_append(&text, "\n", 1);
		buf_append(&text, folder, strlen(folder));
	}
	buf_append(&text, "", 1);
	if (json_object_size(folders) <= WORKER_RECORDINGS_MAX &&
	    buf_len(&text) <= WORKER_RECORDINGS_BYTES_MAX)
		copy = xstrdup((const char *)buf_head(&text));
	else
		copy = xstrdup("/");
	buf_done(&text);
	return copy;
}

/* Sets the variable with the folders of recordings for new workers.  False: the
 * folders have not changed. */
static bool name(struct api *api)
{
	const struct stream_confs *confs = config_streams(api->cfg.config);
	json_t *folders = json_object();
	const json_t *stream;
	char *text;
	bool differs;
	size_t i;

	json_array_foreach(config_section(api->cfg.config, STREAMS), i,
			   stream) {
		const struct stream_conf *c = stream_confs_get(confs, stream);

		for (size_t k = 0; c != NULL && k < c->n_outputs; k++)
			if (c->outputs[k].is_valid &&
			    c->outputs[k].kind == OUTPUT_FILE)
				add_folder(folders, c->outputs[k].path);
	}
	text = format(folders);
	json_decref(folders);
	differs = spawner_set_variable(reconciler_spawner(api->cfg.reconciler),
				       SPAWN_RECORDINGS, text);
	free(text);
	return differs;
}

static bool plays_list(const struct stream_conf *c)
{
	for (size_t i = 0; c != NULL && i < c->n_inputs; i++)
		if (c->inputs[i].is_valid && c->inputs[i].list)
			return true;
	return false;
}

void recordings_name(struct api *api)
{
	(void)name(api);
}

void recordings_apply(struct api *api)
{
	struct config *config = api->cfg.config;
	const struct stream_confs *confs;
	const json_t *stream;
	size_t i;

	if (!name(api))
		return;
	confs = config_streams(config);
	json_array_foreach(config_section(config, STREAMS), i, stream) {
		const char *id = edit_text(stream, "id");

		/* a stream without an id, or with the id of an earlier one, is
		 * not run */
		if (id != NULL && config_stream(config, id) == stream &&
		    plays_list(stream_confs_get(confs, stream)))
			apply_kept(api, id, stream);
	}
}
