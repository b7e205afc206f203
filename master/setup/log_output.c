/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/log_output.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/log/log_file.h"
#include "common/log/log_lines.h"
#include "master/setup/log_settings.h"
#include "common/log/log_syslog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Limit of lines that are kept until the settings are known; further lines are
 * dropped. */
enum { EARLY_MAX = 32, EARLY_TEXT_MAX = 512 };

struct early {
	enum log_level level;
	char component[64];
	char text[EARLY_TEXT_MAX];
};

struct log_output {
	struct log_settings settings; /* settings in force */
	struct log_file *file;        /* NULL: no log file */
	struct log_syslog *syslog;    /* NULL: no syslog */
	struct log_lines *lines;      /* the last lines, for the API */
	/* Lines logged before the settings were known, for file and syslog;
	 * NULL: they were written. */
	struct early *early;
	size_t n_early;
};

static void write_file(struct log_output *o, enum log_level level,
		       const char *component, const char *text)
{
	char head[LOG_HEAD_MAX], line[1280], note[PATH_MAX + 128];
	int len, news;

	log_head(level, head);
	len = snprintf(line, sizeof line, "%s%.96s: %.1100s\n", head,
		       component, text);
	log_file_write(o->file, line, (size_t)len);
	news = log_file_news(o->file);
	if (news > 0)
		return;
	/* the note goes to stderr, even if that is switched off, because the
	 * file cannot have it */
	(void)snprintf(note, sizeof note, "%s: %s%s", o->settings.filename,
		       news == -ENOTUNIQ ? "not rotated" :
		       news < 0 ? "lines dropped: " : "writing resumed",
		       news == -ENOTUNIQ ? ": one of the files .1 to .9 is not "
					   "a log of this program" :
		       news < 0 ? strerror(-news) : "");
	log_to_stderr(news < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO, "log", note,
		      NULL);
}

/* Returns the Unix time in ms. */
static int64_t now_ms(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sink(enum log_level level, const char *component,
		 const char *text, void *arg)
{
	struct log_output *o = arg;
	struct early *e;

	log_lines_add(o->lines, &(struct log_line){
		.time_ms = now_ms(), .level = level, .component = component,
		.text = text });
	if (o->settings.to_stdout)
		log_to_stderr(level, component, text, NULL);
	if (o->early != NULL && o->n_early < EARLY_MAX) {
		e = &o->early[o->n_early++];
		e->level = level;
		(void)snprintf(e->component, sizeof e->component, "%s",
			       component);
		(void)snprintf(e->text, sizeof e->text, "%s", text);
	}
	if (o->file != NULL)
		write_file(o, level, component, text);
	if (o->syslog != NULL)
		log_syslog_write(o->syslog, level, component, text);
}

struct log_output *log_output_new(void)
{
	struct log_output *o = xcalloc(1, sizeof *o);

	o->settings.to_stdout = true;
	/* numbers begin with the time, so that none repeats after a restart */
	o->lines = log_lines_new((uint64_t)now_ms() * 1000);
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
	log_lines_free(&o->lines);
	free(o->early);
	free(o);
}

void log_output_apply(struct log_output *o, const struct log_settings *new)
{
	if (o->file != NULL &&
	    strcmp(o->settings.filename, new->filename) == 0) {
		log_file_limit(o->file, new->max_file_size);
	} else {
		if (o->file != NULL)
			write_file(o, LOG_LEVEL_INFO, "log",
				   new->filename[0] != '\0'
					   ? "continues in another file"
					   : "ends: log.filename is empty");
		log_file_leave(&o->file);
		if (new->filename[0] != '\0')
			o->file = log_file_open(new->filename,
						new->max_file_size);
	}
	if (strcmp(o->settings.syslog, new->syslog) != 0) {
		log_syslog_close(&o->syslog);
		if (new->syslog[0] != '\0')
			o->syslog = log_syslog_open("/dev/log", new->syslog);
	}
	o->settings = *new;
	log_open(sink, o, new->debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
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

const struct log_lines *log_output_lines(const struct log_output *o)
{
	return o != NULL ? o->lines : NULL;
}

int log_output_error(struct log_output *o, struct errmsg *ret)
{
	char lost[48] = "cannot be written";
	unsigned dropped = 0;
	int r = 0;

	if (o->file != NULL)
		r = log_file_result(o->file, &dropped);
	else if (o->settings.filename[0] != '\0')
		r = -EAGAIN; /* the thread of the file cannot be started */
	if (dropped > 0)
		(void)snprintf(lost, sizeof lost, "%u log lines dropped",
			       dropped);
	if (r == -ENOTUNIQ)
		errmsg_set(ret, "log.filename: one of the files %.128s.1 to "
				".%d is not a log of this program: the log is "
				"not rotated and grows: move that file away",
			   o->settings.filename,
			   LOG_FILE_ARCHIVES);
	else if (r < 0)
		errmsg_set(ret, "log.filename: %.128s: %s: %s",
			   o->settings.filename,
			   r == -EEXIST ? "exists and is not a log of this "
					  "program"
			   : r == -ELOOP ? "is a symbolic link"
					 : strerror(-r),
			   lost);
	return r;
}

void log_output_flush(struct log_output *o)
{
	bool had = o->file != NULL;

	log_file_close(&o->file);
	/* opens the file again, because the program may fail to be replaced */
	if (had)
		o->file = log_file_open(o->settings.filename,
					o->settings.max_file_size);
}
