/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/surroundings.h"

#include "common/alloc.h"
#include "common/iface.h"
#include "master/config/judge.h"
#include "proto/io_spec.h"
#include "proto/stream_spec.h"

#include <errno.h>
#include <net/if.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For those whose eyes these are. */
static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user != NULL ? user->pw_name : "nobody known";
}

/* what: "path"; mode as for access(2). */
static void look_for_file(struct judge *j, const char *what, const char *path,
			  int mode)
{
	int err;

	if (path[0] == '\0' || eaccess(path, mode) == 0)
		return;
	err = errno;
	judge_say(j, CHECK_WARNING, "%s%s%.128s: %s, to user %s", what,
		  what[0] != '\0' ? ": " : "", path, strerror(err),
		  user_name());
}

static void look_for_folder(struct judge *j, const char *path)
{
	char *folder = xstrdup(path);
	char *slash = strrchr(folder, '/');

	slash[slash == folder ? 1 : 0] = '\0';
	look_for_file(j, "path", folder, W_OK | X_OK);
	free(folder);
}

static void look_for_interface(struct judge *j, const char *name)
{
	char found[IFACE_NAME_MAX];

	if (name[0] != '\0' && (iface_name(name, found) < 0 ||
				if_nametoindex(found) == 0))
		judge_say(j, CHECK_WARNING, "interface: there is no \"%s\"",
			  name);
}

static void look_at_input(struct judge *j, const char *text)
{
	struct input_spec spec;

	if (input_spec_parse(text, &spec, NULL, NULL, NULL) < 0)
		return;
	if (spec.kind == INPUT_FILE || spec.kind == INPUT_SDP)
		look_for_file(j, "path", spec.path, R_OK);
	if (spec.kind == INPUT_HTTP)
		look_for_file(j, "ca", spec.http.ca, R_OK);
	if (spec.kind == INPUT_SRT)
		look_for_interface(j, spec.srt.iface);
	look_for_interface(j, spec.iface);
	/* inner ones are shorter each time */
	if (spec.merge[0] != '\0')
		look_at_input(j, spec.merge);
	if (spec.mux[0] != '\0')
		look_at_input(j, spec.mux);
}

static void look_at_output(struct judge *j, const char *text)
{
	struct output_spec spec;

	if (output_spec_parse(text, &spec, NULL, NULL, NULL) < 0)
		return;
	if (spec.kind == OUTPUT_FILE)
		look_for_folder(j, spec.path);
	if (spec.kind == OUTPUT_SRT)
		look_for_interface(j, spec.srt.iface);
	look_for_interface(j, spec.iface);
	look_for_interface(j, spec.rtp.path2_iface);
}

static void look_at_list(struct judge *j, const json_t *stream,
			 const char *key,
			 void (*look)(struct judge *, const char *))
{
	size_t mark = judge_down(j, key), i;
	const json_t *value;

	json_array_foreach(json_object_get(stream, key), i, value) {
		size_t inner = judge_down_index(j, i);

		if (json_is_string(value))
			look(j, json_string_value(value));
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

static void look_at_filler(struct judge *j, const json_t *stream)
{
	size_t mark = judge_down(j, "filler");
	struct stream_spec spec;
	struct errmsg why;

	if (stream_spec_parse(stream, &spec, &why) == 0 &&
	    spec.filler == FILLER_FILE)
		look_for_file(j, "", spec.filler_path, R_OK);
	judge_up(j, mark);
}

void surroundings_look(const json_t *document, check_found_fn *found,
		       void *arg)
{
	struct judge j = { .found = found, .arg = arg };
	size_t mark = judge_down(&j, "make_stream"), i;
	const json_t *stream;

	json_array_foreach(json_object_get(document, "make_stream"), i,
			   stream) {
		size_t inner = judge_down_index(&j, i);

		if (json_is_true(json_object_get(stream, "enable"))) {
			look_at_list(&j, stream, "input", look_at_input);
			look_at_list(&j, stream, "output", look_at_output);
			look_at_filler(&j, stream);
		}
		judge_up(&j, inner);
	}
	judge_up(&j, mark);
}
