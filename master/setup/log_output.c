/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/log_output.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/log/log_file.h"
#include "master/setup/log_settings.h"
#include "common/log/log_syslog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than that are not said before the settings are known. */
enum { EARLY_MAX = 32, EARLY_TEXT_MAX = 512 };

struct early {
	enum log_level level;
	char component[64];
	char text[EARLY_TEXT_MAX];
};

struct log_output {
	struct log_settings settings; /* in force */
	struct log_file *file;        /* or NULL */
	struct log_syslog *syslog;    /* or NULL */
	/* lines from before the settings, for file and syslog; then NULL */
	struct early *early;
	size_t n_early;
};

/* To stderr, whatever the settings are: the file cannot report it. */
static void say_news(struct log_output *o)
{
	int news = log_file_news(o->file);
	char text[PATH_MAX + 128];

	if (news > 0)
		return;
	(void)snprintf(text, sizeof text, "%s: %s%s", o->settings.filename,
		       news < 0 ? "lines dropped: " : "writing resumed",
		       news < 0 ? strerror(-news) : "");
	log_to_stderr(news < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO, "log", text,
		      NULL);
}

static void write_file(struct log_output *o, enum log_level level,
		       const char *component, const char *text)
{
	char head[LOG_HEAD_MAX], line[1280];
	int len;

	log_head(level, head);
	len = snprintf(line, sizeof line, "%s%.96s: %.1100s\n", head,
		       component, text);
	log_file_write(o->file, line, (size_t)len);
	say_news(o);
}

static void keep_early(struct log_output *o, enum log_level level,
		       const char *component, const char *text)
{
	struct early *e;

	if (o->early == NULL || o->n_early == EARLY_MAX)
		return;
	e = &o->early[o->n_early++];
	e->level = level;
	(void)snprintf(e->component, sizeof e->component, "%s", component);
	(void)snprintf(e->text, sizeof e->text, "%s", text);
}

static void write_early(struct log_output *o)
{
	for (size_t i = 0; i < o->n_early; i++) {
		const struct early *e = &o->early[i];

		if (o->file != NULL)
			write_file(o, e->level, e->component, e->text);
		if (o->syslog != NULL)
			log_syslog_write(o->syslog, e->level, e->component,
					 e->text);
	}
	o->n_early = 0;
	free(o->early);
	o->early = NULL;
}

static void sink(enum log_level level, const char *component,
		 const char *text, void *arg)
{
	struct log_output *o = arg;

	if (o->settings.to_stdout)
		log_to_stderr(level, component, text, NULL);
	keep_early(o, level, component, text);
	if (o->file != NULL)
		write_file(o, level, component, text);
	if (o->syslog != NULL)
		log_syslog_write(o->syslog, level, component, text);
}

struct log_output *log_output_new(void)
{
	struct log_output *o = xcalloc(1, sizeof *o);

	o->settings.to_stdout = true;
	o->early = xcalloc(EARLY_MAX, sizeof *o->early);
	log_open(sink, o, LOG_LEVEL_INFO);
	return o;
}

void log_output_free(struct log_output **p)
{
	struct log_output *o = *p;

	*p = NULL;
	if (o == NULL)
		return;
	log_open(NULL, NULL, o->settings.debug ? LOG_LEVEL_DEBUG
					       : LOG_LEVEL_INFO);
	log_file_close(&o->file);
	log_syslog_close(&o->syslog);
	free(o->early);
	free(o);
}

static void apply_file(struct log_output *o, const struct log_settings *new)
{
	if (o->file != NULL &&
	    strcmp(o->settings.filename, new->filename) == 0) {
		log_file_limit(o->file, new->max_file_size);
		return;
	}
	log_file_leave(&o->file);
	if (new->filename[0] != '\0')
		o->file = log_file_open(new->filename, new->max_file_size);
}

static void apply_syslog(struct log_output *o, const struct log_settings *new)
{
	if (strcmp(o->settings.syslog, new->syslog) == 0)
		return;
	log_syslog_close(&o->syslog);
	if (new->syslog[0] != '\0')
		o->syslog = log_syslog_open("/dev/log", new->syslog);
}

void log_output_apply(struct log_output *o, const struct log_settings *new)
{
	apply_file(o, new);
	apply_syslog(o, new);
	o->settings = *new;
	log_open(sink, o, new->debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	write_early(o);
}

void log_output_flush(struct log_output *o)
{
	bool had = o->file != NULL;

	log_file_close(&o->file);
	/* the program may stay after all */
	if (had)
		o->file = log_file_open(o->settings.filename,
					o->settings.max_file_size);
}
