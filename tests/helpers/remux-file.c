/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * remux-file OPTIONS STREAM < in.ts > out.ts
 *
 * A file through the remux stage alone, as fast as it goes: OPTIONS are those
 * of an input's address ("pnr=1&map.video=101"), STREAM a stream object in
 * JSON.  So a test in another language can judge what the stage makes, packet
 * by packet, without a network between.
 */
#include "proto/spec/io_spec.h"
#include "proto/spec/stream_spec.h"
#include "worker/remux/remux.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 7 /* packets, as in a datagram */ };

static void write_runs(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (size_t i = 0; i < n_runs; i++)
		if (fwrite(runs[i].data, TS_PACKET, runs[i].n, arg) !=
		    runs[i].n)
			err(1, "stdout");
}

static void read_options(const char *text, const char *stream,
			 struct input_spec *in, struct stream_spec *out)
{
	char address[ADDRESS_TEXT_MAX + 1];
	struct errmsg why = { 0 };
	json_t *object = json_loads(stream, 0, NULL);

	if (object == NULL)
		errx(2, "STREAM is no JSON");
	(void)snprintf(address, sizeof address, "udp://:1#%s", text);
	if (input_spec_parse(address, in, NULL, NULL, &why) < 0 ||
	    stream_spec_parse(object, out, &why) < 0)
		errx(2, "%s", why.text);
	json_decref(object);
}

int main(int argc, char **argv)
{
	static struct table_versions versions;
	static struct input_spec in;
	static struct stream_spec stream;
	uint8_t chunk[CHUNK * TS_PACKET];
	struct remux *r;
	size_t n;

	if (argc != 3)
		errx(2, "usage: remux-file OPTIONS STREAM < in > out");
	read_options(argv[1], argv[2], &in, &stream);
	remux_options_overlay(&in.remux, &stream.remux);
	r = remux_new(&(struct remux_config){
		.options = &in.remux,
		.versions = &versions,
		.first = { stream.pat_version, stream.pmt_version,
			   stream.cat_version, stream.sdt_version },
		.out = write_runs,
		.arg = stdout,
	});
	while ((n = fread(chunk, TS_PACKET, CHUNK, stdin)) > 0)
		remux_feed(r, &(struct ts_run){ chunk, n }, 1, 0);
	remux_free(&r);
	return fflush(stdout) == 0 ? 0 : 1;
}
