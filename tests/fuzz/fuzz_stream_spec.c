/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any JSON as the options of a stream. */
#include "proto/spec/stream_spec.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void judge(const struct stream_spec *s)
{
	const struct remux_options *o = &s->remux;

	expect(o->n_maps <= REMUX_MAPS_MAX);
	for (size_t i = 0; i < o->n_maps; i++) {
		expect(o->maps[i].pid >= MAP_PID_MIN &&
		       o->maps[i].pid <= MAP_PID_MAX);
		for (size_t k = 0; k < i; k++)
			expect(o->maps[i].pid != o->maps[k].pid);
	}
	expect(strlen(o->service_name) <= SERVICE_TEXT_MAX);
	expect(strlen(o->service_provider) <= SERVICE_TEXT_MAX);
	expect(strlen(o->hbbtv_url) <= HBBTV_URL_MAX);
	expect(o->textcode <= 15 || o->textcode == 21);
	expect(s->filler != FILLER_FILE || s->filler_path[0] == '/');
	expect(s->pat_version < 32 && s->pmt_version < 32);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *stream = json_loadb((const char *)data, size, 0, NULL);
	struct stream_spec spec;
	struct errmsg why = { 0 };
	json_t *picked;

	if (stream == NULL)
		return 0;
	if (stream_spec_parse(stream, &spec, &why) < 0)
		expect(why.text[0] != '\0');
	judge(&spec);
	picked = stream_spec_pick(stream);
	expect(stream_spec_is_same(picked, picked, 0));
	json_decref(picked);
	json_decref(stream);
	return 0;
}
