/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a section of an EIT with the descriptors of its events:
 * each text is UTF-8 without control characters and stays in bounds.
 */
#include "common/base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "worker/si/eit.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION = 4096 };

static void check_text(const char *text)
{
	size_t len = strnlen(text, EIT_TEXT_SIZE);

	if (len == EIT_TEXT_SIZE || !utf8_is_valid(text, len))
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			abort();
}

static void check(const struct eit_facts *f)
{
	if (f->n_texts > EIT_TEXTS_MAX || f->n_contents > EIT_CONTENTS_MAX)
		abort();
	for (size_t i = 0; i < f->n_texts; i++) {
		if (strlen(f->texts[i].lang) != 3)
			abort();
		check_text(f->texts[i].title);
		check_text(f->texts[i].summary);
		check_text(f->texts[i].details);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct eit_facts facts;
	uint8_t *section;
	struct eit eit;
	struct eit_event event;

	if (size < 3 || size > SECTION)
		return 0;
	/* memory of its own size: a byte too far is seen */
	section = malloc(size);
	memcpy(section, data, size);
	section[1] = (uint8_t)(0xf0 | (size - 3) >> 8);
	section[2] = (uint8_t)(size - 3);
	if (eit_open(section, size, &eit) == 0)
		while (eit_next(&eit.events, &event)) {
			eit_facts_read(event.descriptors, &facts);
			check(&facts);
		}
	free(section);
	return 0;
}
