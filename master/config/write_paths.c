/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/write_paths.h"

#include "common/base/alloc.h"
#include "common/supervise/pem_source.h"
#include "master/config/judge.h"
#include "proto/spec/epg_export.h"
#include "proto/spec/io_spec.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

enum place_kind {
	PLACE_FILE,
	PLACE_FOLDER, /* files in a folder, without its subfolders */
	PLACE_TREE,   /* everything below a folder */
};

struct place {
	SLIST_ENTRY(place) link;
	enum place_kind kind;
	char path[];
};

SLIST_HEAD(places, place);

struct write_paths {
	/* allowed by the options at the start of the service */
	struct places given;
	struct places named; /* named by the configuration file in force */
};

struct write_paths *write_paths_new(void)
{
	return xcalloc(1, sizeof(struct write_paths));
}

static void drop(struct places *list)
{
	struct place *place;

	while ((place = SLIST_FIRST(list)) != NULL) {
		SLIST_REMOVE_HEAD(list, link);
		free(place);
	}
}

void write_paths_free(struct write_paths **pp)
{
	struct write_paths *p = *pp;

	*pp = NULL;
	if (p == NULL)
		return;
	drop(&p->given);
	drop(&p->named);
	free(p);
}

/* Makes a path absolute and removes "." and empty steps.  False: it has "..",
 * or is too long. */
static bool clean(const char *path, char ret[PATH_MAX])
{
	size_t at = 0;

	if (path[0] != '/') {
		if (getcwd(ret, PATH_MAX) == NULL)
			return false;
		at = strcmp(ret, "/") == 0 ? 0 : strlen(ret);
	}
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return false;
		if (len > 0 && (len > 1 || path[0] != '.')) {
			if (at + len + 2 > PATH_MAX)
				return false;
			ret[at++] = '/';
			memcpy(ret + at, path, len);
			at += len;
		}
		path += len;
		path += *path == '/';
	}
	ret[at] = '\0'; /* ret "": the root */
	return true;
}

static void add(struct places *to, const char *path, enum place_kind kind)
{
	char name[PATH_MAX];
	struct place *place;

	if (!clean(path, name))
		return;
	place = xcalloc(1, sizeof *place + strlen(name) + 1);
	place->kind = kind;
	memcpy(place->path, name, strlen(name) + 1);
	SLIST_INSERT_HEAD(to, place, link);
}

void write_paths_add(struct write_paths *p, const char *folders)
{
	char *copy, *rest, *folder;

	if (folders == NULL)
		return;
	copy = xstrdup(folders);
	for (folder = strtok_r(copy, ":", &rest); folder != NULL;
	     folder = strtok_r(NULL, ":", &rest))
		add(&p->given, folder, PLACE_TREE);
	free(copy);
}

static void add_file(struct places *to, const char *file)
{
	if (file != NULL && file[0] != '\0')
		add(to, file, PLACE_FILE);
}

void write_paths_add_file(struct write_paths *p, const char *file)
{
	add_file(&p->given, file);
}

/* Reads the address of a recording; false: it is another output. */
static bool read_recording(const json_t *address, struct output_spec *ret)
{
	const char *text = json_string_value(address);
	struct errmsg ignored;

	return text != NULL &&
	       output_spec_parse(text, ret, NULL, NULL, &ignored) == 0 &&
	       ret->kind == OUTPUT_FILE;
}

/* Adds the folder of a file.  For a file in the root folder, adds only the
 * file, because that folder contains every file. */
static void add_folder_of(struct places *to, const char *file,
			  enum place_kind kind)
{
	char name[PATH_MAX];
	char *slash;

	if (!clean(file, name))
		return;
	slash = strrchr(name, '/');
	if (slash == NULL || slash == name) {
		add(to, file, PLACE_FILE);
		return;
	}
	*slash = '\0';
	add(to, name, kind);
}

/* Reads an export to a file; false: it goes to a server, or has an error. */
static bool read_export(const json_t *address, struct epg_export_spec *ret)
{
	const char *text = json_string_value(address);
	struct errmsg ignored;

	return text != NULL && epg_export_parse(text, ret, &ignored) == 0 &&
	       ret->to.path[0] != '\0';
}

void write_paths_set_document(struct write_paths *p, const json_t *document)
{
	const json_t *streams = json_object_get(document, "make_stream");
	const json_t *stream, *address;
	const json_t *settings = json_object_get(document, "settings");
	struct epg_export_spec export;
	struct output_spec spec;
	size_t i, j;

	drop(&p->named);
	add_file(&p->named, json_string_value(json_object_get(
				    json_object_get(document, "log"),
				    "filename")));
	json_array_foreach((json_t *)(uintptr_t)streams, i, stream)
		json_array_foreach(json_object_get(stream, "output"), j,
				   address)
			if (read_recording(address, &spec))
				add_folder_of(&p->named, spec.path, PLACE_TREE);
	json_array_foreach(json_object_get(settings, "epg_export"), i, address)
		if (read_export(address, &export))
			add_folder_of(&p->named, export.to.path, PLACE_TREE);
}

struct write_paths *write_paths_own(const char *config_path, const char *state)
{
	struct write_paths *p = write_paths_new();

	if (config_path != NULL)
		add_folder_of(&p->given, config_path, PLACE_FOLDER);
	if (state != NULL)
		add(&p->given, state, PLACE_FOLDER);
	return p;
}

static bool place_has(const struct place *place, const char *name)
{
	size_t len = strlen(place->path);

	if (strncmp(name, place->path, len) != 0)
		return false;
	if (place->kind == PLACE_FILE)
		return name[len] == '\0';
	return name[len] == '/' && (place->kind == PLACE_TREE ||
				    strchr(name + len + 1, '/') == NULL);
}

static bool is_in(const struct places *list, const char *name)
{
	const struct place *place;

	SLIST_FOREACH(place, list, link)
		if (place_has(place, name))
			return true;
	return false;
}

bool write_paths_has(const struct write_paths *p, const char *file)
{
	char name[PATH_MAX];

	return clean(file, name) &&
	       (is_in(&p->given, name) || is_in(&p->named, name));
}

/* Folders with files of the service, which recordings could replace. */
struct own {
	const struct write_paths *paths;
	struct places certificate;
};

static void own_init(struct own *o, const struct write_paths *paths,
		     const json_t *document)
{
	static const char *const keys[] = { "crt_chain", "crt_key" };
	const json_t *settings = json_object_get(document, "settings");

	o->paths = paths;
	SLIST_INIT(&o->certificate);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *file = json_string_value(
			json_object_get(settings, keys[i]));

		if (file != NULL && file[0] != '\0' &&
		    !pem_source_is_text(file) && !pem_source_is_stdin(file))
			add_folder_of(&o->certificate, file, PLACE_FOLDER);
	}
}

static bool own_has(const struct own *o, const char *file)
{
	char name[PATH_MAX];

	return write_paths_has(o->paths, file) ||
	       (clean(file, name) && is_in(&o->certificate, name));
}

static void find_own(const struct own *own, const json_t *stream,
		     struct judge *j)
{
	size_t mark = judge_down(j, "output"), i;
	struct output_spec spec;
	const json_t *address;

	json_array_foreach(json_object_get(stream, "output"), i, address) {
		size_t inner = judge_down_index(j, i);

		if (json_is_true(json_object_get(stream, "enable")) &&
		    read_recording(address, &spec) &&
		    own_has(own, spec.path))
			judge_add(j, CHECK_WARNING, "records into a folder "
				  "with files of the service, which a "
				  "recording may replace or leave without "
				  "room: use another folder");
		judge_up(j, inner);
	}
	judge_up(j, mark);
}

/* Warns of exports to own folders.  If there is no guide, nothing is
 * exported. */
static void find_own_exports(const struct own *own, const json_t *settings,
			     struct judge *j)
{
	size_t section = judge_down(j, "settings");
	size_t mark = judge_down(j, "epg_export"), i;
	bool has_guide = json_number_value(json_object_get(settings,
							   "epg_days")) > 0;
	struct epg_export_spec spec;
	const json_t *address;

	json_array_foreach(json_object_get(settings, "epg_export"), i,
			   address) {
		size_t inner = judge_down_index(j, i);

		if (has_guide && read_export(address, &spec) &&
		    own_has(own, spec.to.path))
			judge_add(j, CHECK_WARNING, "exports into a folder "
				  "with files of the service: a file of the "
				  "same name is replaced: use another folder");
		judge_up(j, inner);
	}
	judge_up(j, mark);
	judge_up(j, section);
}

void write_paths_find_own(const struct write_paths *paths, const json_t *stream,
			  const struct check_place *place,
			  check_found_fn *found, void *arg)
{
	struct judge j = { .found = found, .arg = arg };
	struct own own;

	if (paths == NULL)
		return;
	own_init(&own, paths, place->document);
	(void)judge_down(&j, place->path);
	find_own(&own, stream, &j);
	drop(&own.certificate);
}

void write_paths_find_all_own(const struct write_paths *paths,
			      const json_t *document, check_found_fn *found,
			      void *arg)
{
	struct judge j = { .found = found, .arg = arg };
	const json_t *stream;
	struct own own;
	size_t i;

	if (paths == NULL)
		return;
	own_init(&own, paths, document);
	find_own_exports(&own, json_object_get(document, "settings"), &j);
	(void)judge_down(&j, "make_stream");
	json_array_foreach(json_object_get(document, "make_stream"), i,
			   stream) {
		size_t mark = judge_down_index(&j, i);

		find_own(&own, stream, &j);
		judge_up(&j, mark);
	}
	drop(&own.certificate);
}

static int judge(const struct write_paths *p, const char *file,
		 struct errmsg *error)
{
	if (write_paths_has(p, file))
		return 0;
	return errmsg_fail(error, -EPERM, "%.128s is in no folder that the "
			   "service may write to: start it with --allow-path "
			   "FOLDER", file);
}

int write_paths_judge_stream(const struct write_paths *p,
			     const json_t *stream, struct errmsg *error)
{
	struct output_spec spec;
	const json_t *address;
	size_t i;

	json_array_foreach(json_object_get(stream, "output"), i, address) {
		if (!read_recording(address, &spec) ||
		    judge(p, spec.path, error) == 0)
			continue;
		errmsg_prefix(error, "output[%zu]: ", i);
		return -EPERM;
	}
	return 0;
}

int write_paths_judge_log(const struct write_paths *p, const json_t *section,
			  struct errmsg *error)
{
	const char *file = json_string_value(
		json_object_get(section, "filename"));

	if (file == NULL || file[0] == '\0' || judge(p, file, error) == 0)
		return 0;
	errmsg_prefix(error, "filename: ");
	return -EPERM;
}

int write_paths_judge_settings(const struct write_paths *p,
			       const json_t *settings, struct errmsg *error)
{
	const json_t *list = json_object_get(settings, "epg_export"), *address;
	struct epg_export_spec spec;
	size_t i;

	json_array_foreach(list, i, address) {
		if (!read_export(address, &spec) ||
		    judge(p, spec.to.path, error) == 0)
			continue;
		errmsg_prefix(error, "epg_export[%zu]: ", i);
		return -EPERM;
	}
	return 0;
}

int write_paths_judge(const struct write_paths *p, const json_t *document,
		      struct errmsg *error)
{
	const json_t *stream;
	size_t i;

	if (write_paths_judge_log(p, json_object_get(document, "log"),
				  error) < 0) {
		errmsg_prefix(error, "log.");
		return -EPERM;
	}
	if (write_paths_judge_settings(p, json_object_get(document,
							  "settings"),
				       error) < 0) {
		errmsg_prefix(error, "settings.");
		return -EPERM;
	}
	json_array_foreach(json_object_get(document, "make_stream"), i,
			   stream) {
		if (write_paths_judge_stream(p, stream, error) == 0)
			continue;
		errmsg_prefix(error, "make_stream[%zu].", i);
		return -EPERM;
	}
	return 0;
}
