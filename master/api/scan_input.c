/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scan_input.h"

#include "common/base/alloc.h"
#include "master/api/edit.h"
#include "master/api/redact.h"
#include "proto/spec/address_open.h"

#include <stdlib.h>
#include <string.h>

/* True: an observer receives this text for the address in the configuration.
 * reduced: observer_redact is set. */
static bool is_shown_as(const char *address, const char *text, bool reduced)
{
	char *shown = reduced ? address_open(address, ADDRESS_INPUT)
			      : xstrdup(address);
	bool same = strcmp(shown, text) == 0;

	free(shown);
	return same;
}

struct scan_input scan_input_shown(const struct api *api, const char *text)
{
	const json_t *streams = config_section(api->cfg.config, STREAMS);
	bool reduced = observer_is_reduced(config_section(api->cfg.config,
							  "settings"));
	const json_t *stream, *input;
	size_t i, j;

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream) {
		if (!json_is_true(json_object_get(stream, "enable")))
			continue;
		json_array_foreach(json_object_get(stream, "input"), j, input)
			if (json_is_string(input) &&
			    is_shown_as(json_string_value(input), text,
					reduced))
				return (struct scan_input){
					edit_text(stream, "id"),
					(unsigned)j + 1 };
	}
	return (struct scan_input){ 0 };
}

struct scan_input scan_input_read(const struct api *api, const json_t *scan,
				  struct reply *reply)
{
	const char *id = edit_text(scan, "stream");
	json_int_t position = edit_number(edit_get(scan, "input"));
	const json_t *stream = id != NULL ? config_stream(api->cfg.config, id)
					  : NULL;
	size_t n = json_array_size(json_object_get(stream, "input"));

	if (id == NULL)
		reply_error(reply, 400, "scan.stream: is not the id of a "
			    "stream");
	else if (stream == NULL)
		reply_error(reply, 404, "scan.stream: there is no stream "
			    "\"%.64s\"", id);
	else if (position < 1 || (size_t)position > n)
		reply_error(reply, 400, "scan.input: is not one of 1 to %zu",
			    n);
	else
		return (struct scan_input){ id, (unsigned)position };
	return (struct scan_input){ 0 };
}
