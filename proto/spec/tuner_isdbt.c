/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/tuner_isdbt.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum {
	SEGMENTS = 13,
	WORDS = 4, /* words in the text of a layer */
	WORD_MAX = 7,
};

struct word {
	const char *name;
	int value; /* as in linux/dvb/frontend.h */
};

static const struct word modulations[] = {
	{ "AUTO", TUNER_AUTO_MODULATION }, { "DQPSK", 12 },
	{ "QPSK", TUNER_QPSK }, { "QAM16", 1 }, { "QAM64", 3 }, { NULL, 0 },
};
static const struct word rates[] = {
	{ "AUTO", TUNER_AUTO_FEC }, { "1/2", 1 }, { "2/3", 2 }, { "3/4", 3 },
	{ "5/6", 5 }, { "7/8", 7 }, { NULL, 0 },
};
static const struct word counts[] = {
	{ "AUTO", TUNER_AUTO_LAYER }, { "1", 1 }, { "2", 2 }, { "3", 3 },
	{ "4", 4 }, { "5", 5 }, { "6", 6 }, { "7", 7 }, { "8", 8 }, { "9", 9 },
	{ "10", 10 }, { "11", 11 }, { "12", 12 }, { "13", SEGMENTS },
	{ NULL, 0 },
};
static const struct word interleavings[] = {
	{ "AUTO", TUNER_AUTO_LAYER }, { "0", 0 }, { "1", 1 }, { "2", 2 },
	{ "3", 3 }, { NULL, 0 },
};

static bool find_word(const struct word *list, const char *text, int *ret)
{
	for (; list->name != NULL; list++) {
		if (strcasecmp(list->name, text) != 0)
			continue;
		*ret = list->value;
		return true;
	}
	return false;
}

/* Reads a layer: "QAM64,3/4,12,2"; words at the end may be absent. */
static bool read_layer(const char *text, struct tuner_layer *ret)
{
	char words[WORDS][WORD_MAX + 1] = { "AUTO", "AUTO", "AUTO", "AUTO" };

	for (size_t i = 0; *text != '\0'; i++) {
		size_t len = strcspn(text, ",");

		if (i == WORDS || len == 0 || len > WORD_MAX)
			return false;
		memcpy(words[i], text, len);
		words[i][len] = '\0';
		text += len;
		if (*text == ',' && *++text == '\0')
			return false;
	}
	return find_word(modulations, words[0], &ret->modulation) &&
	       find_word(rates, words[1], &ret->fec) &&
	       find_word(counts, words[2], &ret->segments) &&
	       find_word(interleavings, words[3], &ret->interleaving);
}

int tuner_isdbt_judge(struct tuner_spec *s, struct errmsg *error)
{
	int segments = 0;

	for (size_t i = 0; i < TUNER_LAYERS; i++) {
		struct tuner_layer *l = &s->layers[i];

		if (!read_layer(s->isdbt_layer[i], l))
			return errmsg_fail(error, -EINVAL, "isdbt_layer_%c: "
					   "\"%s\" is not modulation,rate,"
					   "segments,interleaving such as "
					   "QAM64,3/4,12,2 with AUTO, DQPSK, "
					   "QPSK, QAM16 or QAM64, 1/2 to 7/8, "
					   "1 to 13 and 0 to 3",
					   (char)('a' + i), s->isdbt_layer[i]);
		segments += l->segments > 0 ? l->segments : 0;
		if (segments > SEGMENTS)
			return errmsg_fail(error, -EINVAL, "isdbt_layer_%c: "
					   "the layers have %d segments; a "
					   "channel has %d", (char)('a' + i),
					   segments, SEGMENTS);
	}
	return 0;
}
