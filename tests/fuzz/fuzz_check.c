/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a configuration: read, judged, edited, written, read again. */
#include "master/api/edit.h"
#include "master/api/command.h"
#include "master/config/check.h"
#include "common/document/document.h"
#include "proto/ipc/contract.h"
#include "proto/ipc/msg.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void count(enum check_severity severity, const char *path,
		  const char *text, void *arg)
{
	expect(strlen(path) < CHECK_PATH_MAX && text[0] != '\0');
	*(unsigned *)arg += severity != CHECK_WARNING ? 1 : 0;
}

static size_t take(const json_t *list, const char **ret, size_t max)
{
	size_t n = json_array_size(list);

	expect(n <= max);
	for (size_t i = 0; i < n; i++)
		ret[i] = json_string_value(json_array_get(list, i));
	return n;
}

/* A stream without a fault fits the message that starts it. */
static void start(const json_t *stream)
{
	static char data[MSG_SIZE_MAX];
	const char *name = json_string_value(json_object_get(stream, "name"));
	struct msg m = { .type = MSG_STREAM_START };

	m.stream_start.id = json_string_value(json_object_get(stream, "id"));
	m.stream_start.name = name != NULL ? name : "";
	m.stream_start.n_inputs = take(json_object_get(stream, "input"),
				       m.stream_start.inputs, MSG_INPUTS_MAX);
	m.stream_start.n_outputs = take(json_object_get(stream, "output"),
					m.stream_start.outputs,
					MSG_OUTPUTS_MAX);
	expect(msg_encode(&m, data) > 0);
}

static void edit(const json_t *stream)
{
	json_t *copy = edit_entry_copy(stream);
	const json_t *version;

	streams_count_versions(copy);
	version = json_object_get(copy, "sdt_version");
	expect(json_integer_value(version) >= 0 &&
	       json_integer_value(version) < 32);
	json_decref(copy);
}

static void judge_streams(const json_t *document)
{
	const json_t *streams = json_object_get(document, "make_stream");
	const json_t *stream;
	size_t i;

	json_array_foreach((json_t *)streams, i, stream) {
		struct check_place place = { .path = "stream" };
		unsigned faults = 0;

		if (i > 8)
			break;
		expect(check_stream(stream, &place, count, &faults) ==
		       faults);
		if (faults > 0)
			continue;
		start(stream);
		edit(stream);
	}
}

static void write_and_read(const json_t *document)
{
	size_t len;
	char *text = document_format(document, &len);
	struct errmsg why;
	json_t *again = document_parse(text, len, &why);

	expect(again != NULL && json_equal(document, again));
	json_decref(again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct errmsg why = { 0 };
	json_t *document = document_parse((const char *)data, size, &why);
	unsigned faults = 0;

	if (document == NULL) {
		expect(why.text[0] != '\0');
		return 0;
	}
	expect(check_document(document, NULL, count, &faults) == faults);
	judge_streams(document);
	write_and_read(document);
	json_decref(document);
	return 0;
}
