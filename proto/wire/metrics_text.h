/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes metrics in the text format of Prometheus, version 0.0.4.
 *
 * All samples of a metric must follow its head, without another metric in
 * between.
 */
#pragma once

struct buf;

#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

enum metric_kind {
	METRIC_GAUGE,
	METRIC_COUNTER, /* the name ends with _total */
};

/* A label of a sample; a list of labels ends with the name NULL. */
struct metric_label {
	const char *name;
	const char *value; /* any text in UTF-8 */
};

/* Appends the head of a metric; help is one line without a backslash. */
void metrics_head(struct buf *, const char *name, enum metric_kind,
		  const char *help);

/* Appends a sample.  labels: NULL for none. */
void metrics_sample(struct buf *, const char *name,
		    const struct metric_label *labels, double value);
