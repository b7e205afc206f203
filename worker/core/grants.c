/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the files that the addresses and options of a stream name. */
#include "common/base/address.h"
#include "common/base/alloc.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"
#include "worker/core/sandbox.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

/* The needs of an output that a library sends. */
enum { NEED_NET = NEED_THREADS | NEED_UDP | NEED_TCP | NEED_NAMES };

static void add(struct grants *g, enum grant_use use, const char *path)
{
	if (path[0] == '\0')
		return;
	g->list = xrealloc(g->list, (g->n + 1) * sizeof *g->list);
	g->list[g->n++] = (struct grant){ .use = use, .path = xstrdup(path) };
	g->needs |= NEED_FILES;
}

void grants_add_input(struct grants *g, const char *address)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);
	struct errmsg error;

	if (input_spec_parse(address, spec, NULL, NULL, &error) == 0) {
		if (spec->kind == INPUT_FILE || spec->kind == INPUT_SDP)
			add(g, spec->list ? GRANT_LIST : GRANT_INPUT,
			    spec->path);
		if (spec->kind == INPUT_HTTP)
			add(g, GRANT_FILE, spec->http.ca);
		/* the input of an inserted PID, which has no option mux
		 * itself */
		if (spec->mux[0] != '\0')
			grants_add_input(g, spec->mux);
	}
	free(spec);
}

void grants_add_absent(struct grants *g, const char *address)
{
	struct input_spec *spec = xcalloc(1, sizeof *spec);

	if (input_spec_parse(address, spec, NULL, NULL, NULL) == 0 &&
	    spec->remux.absent == ABSENT_FILE) {
		add(g, GRANT_INPUT, spec->remux.absent_path);
		g->needs |= NEED_THREADS; /* the thread that reads the file */
	}
	free(spec);
}

void grants_add_client(struct grants *g, const char *text)
{
	struct errmsg error;
	struct address a;
	const char *ca;

	if (address_parse(text, &a, &error) < 0)
		return;
	ca = address_option(&a, "ca");
	if (ca != NULL)
		add(g, GRANT_FILE, ca);
	address_done(&a);
}

void grants_add_output(struct grants *g, const char *address)
{
	struct output_spec *spec = xcalloc(1, sizeof *spec);
	struct errmsg error;

	if (output_spec_parse(address, spec, NULL, NULL, &error) == 0) {
		if (spec->kind == OUTPUT_FILE) {
			add(g, GRANT_FOLDER, dirname(spec->path));
			g->needs |= NEED_RECORD;
		}
		if (spec->kind == OUTPUT_NP)
			add(g, GRANT_FILE, spec->http.ca);
	}
	free(spec);
}

void grants_add_sender(struct grants *g, const char *address)
{
	static const unsigned needs[OUTPUT_KINDS] = {
		[OUTPUT_UDP] = NEED_UDP,
		[OUTPUT_RTP] = NEED_UDP,
		[OUTPUT_SRT] = NEED_NET,
		[OUTPUT_RIST] = NEED_NET,
		[OUTPUT_NP] = NEED_NET,
		[OUTPUT_FILE] = NEED_THREADS, /* the thread that writes */
	};
	struct output_spec *spec = xcalloc(1, sizeof *spec);
	struct errmsg error;

	if (output_spec_parse(address, spec, NULL, NULL, &error) == 0)
		g->needs |= needs[spec->kind];
	free(spec);
	grants_add_output(g, address);
}

void grants_add_options(struct grants *g, const json_t *options)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	struct errmsg error;

	/* an error leaves the other options in force, here as in the stream */
	(void)!stream_spec_parse(options, spec, &error);
	if (spec->filler == FILLER_FILE)
		add(g, GRANT_INPUT, spec->filler_path);
	free(spec);
}

void grants_add_devices(struct grants *g, const char *folder)
{
	add(g, GRANT_DEVICES, folder);
	g->needs |= NEED_DEVICES;
}

void grants_done(struct grants *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->list[i].path);
	free(g->list);
	*g = (struct grants){ 0 };
}
