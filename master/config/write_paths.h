/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which files users of the control interface may name for the service
 * to write: its log, recordings and exports of the guide.
 *
 * A control user must not get a shell of the user of the service by a file that
 * other programs execute.  The options at the start of the service name allowed
 * folders.  What the configuration file in force names is allowed too: that
 * file is written by hand, or through the control interface, which is checked.
 *
 * Pure except for getcwd(): compares names, opens nothing.  A name with ".." is
 * never allowed.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "master/config/check.h"

#include <jansson.h>
#include <stdbool.h>

struct write_paths;

struct write_paths *write_paths_new(void);
/* NULL-safe; sets *p to NULL. */
void write_paths_free(struct write_paths **);

/* Allows folders, separated by colons, with everything below them; NULL:
 * none. */
void write_paths_add(struct write_paths *, const char *folders);
/* Allows one file; NULL: none. */
void write_paths_add_file(struct write_paths *, const char *file);
/* Allows the log file of the document, and the folders of its recordings and of
 * its exports of the guide (of a file in the root folder, only the file).  The
 * names of an earlier document are not allowed any more. */
void write_paths_set_document(struct write_paths *, const json_t *document);

/* Returns the folders with files of the service itself, its configuration and
 * its state (state NULL: none).  Recordings and exports could replace these
 * files.  Subfolders do not belong to them. */
struct write_paths *write_paths_own(const char *config_path,
				    const char *state);
/* Warns of recordings of an enabled stream in own folders, or in those of the
 * certificate and its key that the document of place names.  own NULL: does
 * nothing. */
void write_paths_find_own(const struct write_paths *own, const json_t *stream,
			  const struct check_place *, check_found_fn *found,
			  void *arg);
/* As write_paths_find_own(), for all streams of a document, and for its exports
 * of the guide. */
void write_paths_find_all_own(const struct write_paths *own,
			      const json_t *document, check_found_fn *found,
			      void *arg);

bool write_paths_has(const struct write_paths *, const char *file);

/* Judges whether the service may write the files of a stream.  Returns 0, or
 * -EPERM with error, which names the field. */
int write_paths_judge_stream(const struct write_paths *, const json_t *stream,
			     struct errmsg *error) MUST_CHECK;
/* As write_paths_judge_stream(), for the section `log'. */
int write_paths_judge_log(const struct write_paths *, const json_t *section,
			  struct errmsg *error) MUST_CHECK;
/* As write_paths_judge_stream(), for the settings. */
int write_paths_judge_settings(const struct write_paths *,
			       const json_t *settings,
			       struct errmsg *error) MUST_CHECK;
/* As write_paths_judge_stream(), for a whole document. */
int write_paths_judge(const struct write_paths *, const json_t *document,
		      struct errmsg *error) MUST_CHECK;
