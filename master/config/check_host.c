/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/check_host.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/file_list.h"
#include "common/base/iface.h"
#include "master/config/judge.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_TOLD = 5 };

/* For those whose eyes these are. */
static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user != NULL ? user->pw_name : "unknown";
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

/* A text of its own, or NULL: it is no list. */
static char *read_list(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		text = xcalloc(1, FILE_LIST_BYTES_MAX + 1);
		n = read(fd, text, FILE_LIST_BYTES_MAX + 1);
	}
	*ret_len = n > 0 ? (size_t)n : 0;
	fd_close(&fd);
	return text;
}

/* Of many that are not there the first few say it. */
static void look_for_entries(struct judge *j, const char *path,
			     const struct file_list *list)
{
	char what[IO_PATH_MAX + 32];
	size_t missing = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (eaccess(list->paths[i], R_OK) == 0 ||
		    missing++ >= ENTRIES_TOLD)
			continue;
		(void)snprintf(what, sizeof what, "path: %.128s: line %u",
			       path, list->lines[i]);
		look_for_file(j, what, list->paths[i], R_OK);
	}
	if (missing > ENTRIES_TOLD)
		judge_say(j, CHECK_WARNING, "path: %.128s: and %zu more files "
			  "of it", path, missing - ENTRIES_TOLD);
}

static void look_into_list(struct judge *j, const char *path)
{
	struct file_list list;
	struct errmsg why;
	size_t len = 0;
	char *text = read_list(path, &len);

	if (text == NULL)
		return;
	if (file_list_read(path, text, len, &list, &why) == 0) {
		look_for_entries(j, path, &list);
		file_list_done(&list);
	} else {
		judge_say(j, CHECK_WARNING, "path: %s", why.text);
	}
	free(text);
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

/* Whether another one has the port is not for now. */
static void look_for_address(struct judge *j, const struct sockaddr_any *listen)
{
	struct sockaddr_any any_port = *listen;
	char name[SOCKADDR_TEXT_MAX];
	int fd = socket(listen->sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	sockaddr_set_port(&any_port, 0);
	if (fd >= 0 && bind(fd, &any_port.sa, any_port.len) < 0) {
		sockaddr_format(listen, name);
		judge_say(j, CHECK_WARNING, "%s: %s", name, strerror(errno));
	}
	fd_close(&fd);
}

static void look_at_input(struct judge *j, const char *text)
{
	struct input_spec spec;

	if (input_spec_parse(text, &spec, NULL, NULL, NULL) < 0)
		return;
	if (spec.kind == INPUT_FILE || spec.kind == INPUT_SDP)
		look_for_file(j, "path", spec.path, R_OK);
	if (spec.kind == INPUT_FILE && spec.list)
		look_into_list(j, spec.path);
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
	if (spec.kind == OUTPUT_HTTP)
		look_for_address(j, &spec.listen);
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
