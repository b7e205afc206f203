/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics in the text format of Prometheus, version 0.0.4.
 *
 * The samples of a metric follow its head without another metric between.
 */
#pragma once

struct buf;

#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

enum metric_kind {
	METRIC_GAUGE,
	METRIC_COUNTER, /* the name ends with _total */
};

/* A list of labels ends with a name that is NULL. */
struct metric_label {
	const char *name;
	const char *value; /* UTF-8; any characters */
};

/* Appends the head of a metric; help is one line without a backslash. */
void metrics_head(struct buf *, const char *name, enum metric_kind,
		  const char *help);

/* Appends a sample.  labels: NULL for none. */
void metrics_sample(struct buf *, const char *name,
		    const struct metric_label *labels, double value);
