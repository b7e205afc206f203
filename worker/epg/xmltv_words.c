/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/xmltv_words.h"

#include "common/base/util.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { LEVEL = 16 };

static const char *const genres[LEVEL] = {
	[1] = "Movie/Drama",
	[2] = "News/Current affairs",
	[3] = "Show/Game show",
	[4] = "Sports",
	[5] = "Children's/Youth programmes",
	[6] = "Music/Ballet/Dance",
	[7] = "Arts/Culture",
	[8] = "Social/Political issues/Economics",
	[9] = "Education/Science/Factual topics",
	[10] = "Leisure hobbies",
	[11] = "Special characteristics",
};

/* A level 2 of 0 means "general" in all genres but the last one. */
static const char *const details[LEVEL][LEVEL] = {
	[1] = {
		[1] = "Detective/Thriller",
		[2] = "Adventure/Western/War",
		[3] = "Science fiction/Fantasy/Horror",
		[4] = "Comedy",
		[5] = "Soap/Melodrama/Folkloric",
		[6] = "Romance",
		[7] = "Serious/Classical/Religious/Historical movie/Drama",
		[8] = "Adult movie/Drama",
	},
	[2] = {
		[1] = "News/Weather report",
		[2] = "News magazine",
		[3] = "Documentary",
		[4] = "Discussion/Interview/Debate",
	},
	[3] = {
		[1] = "Game show/Quiz/Contest",
		[2] = "Variety show",
		[3] = "Talk show",
	},
	[4] = {
		[1] = "Special events",
		[2] = "Sports magazines",
		[3] = "Football/Soccer",
		[4] = "Tennis/Squash",
		[5] = "Team sports",
		[6] = "Athletics",
		[7] = "Motor sport",
		[8] = "Water sport",
		[9] = "Winter sports",
		[10] = "Equestrian",
		[11] = "Martial sports",
	},
	[5] = {
		[1] = "Pre-school children's programmes",
		[2] = "Entertainment programmes for 6 to 14",
		[3] = "Entertainment programmes for 10 to 16",
		[4] = "Informational/Educational/School programmes",
		[5] = "Cartoons/Puppets",
	},
	[6] = {
		[1] = "Rock/Pop",
		[2] = "Serious music/Classical music",
		[3] = "Folk/Traditional music",
		[4] = "Jazz",
		[5] = "Musical/Opera",
		[6] = "Ballet",
	},
	[7] = {
		[1] = "Performing arts",
		[2] = "Fine arts",
		[3] = "Religion",
		[4] = "Popular culture/Traditional arts",
		[5] = "Literature",
		[6] = "Film/Cinema",
		[7] = "Experimental film/Video",
		[8] = "Broadcasting/Press",
		[9] = "New media",
		[10] = "Arts magazines/Culture magazines",
		[11] = "Fashion",
	},
	[8] = {
		[1] = "Magazines/Reports/Documentary",
		[2] = "Economics/Social advisory",
		[3] = "Remarkable people",
	},
	[9] = {
		[1] = "Nature/Animals/Environment",
		[2] = "Technology/Natural sciences",
		[3] = "Medicine/Physiology/Psychology",
		[4] = "Foreign countries/Expeditions",
		[5] = "Social/Spiritual sciences",
		[6] = "Further education",
		[7] = "Languages",
	},
	[10] = {
		[1] = "Tourism/Travel",
		[2] = "Handicraft",
		[3] = "Motoring",
		[4] = "Fitness and health",
		[5] = "Cooking",
		[6] = "Advertisement/Shopping",
		[7] = "Gardening",
	},
	[11] = {
		[0] = "Original language",
		[1] = "Black and white",
		[2] = "Unpublished",
		[3] = "Live broadcast",
	},
};

const char *xmltv_genre(uint8_t content)
{
	return genres[content >> 4];
}

const char *xmltv_detail(uint8_t content)
{
	return details[content >> 4][content & 15];
}

/* Languages: code of ISO 639-2, terminology or bibliographic, and code of ISO
 * 639-1. */
static const struct {
	char three[4], two[3];
} langs[] = {
	{ "alb", "sq" }, { "ara", "ar" }, { "arm", "hy" }, { "aze", "az" },
	{ "baq", "eu" }, { "bel", "be" }, { "bos", "bs" }, { "bul", "bg" },
	{ "cat", "ca" }, { "ces", "cs" }, { "chi", "zh" }, { "cym", "cy" },
	{ "cze", "cs" }, { "dan", "da" }, { "deu", "de" }, { "dut", "nl" },
	{ "ell", "el" }, { "eng", "en" }, { "est", "et" }, { "eus", "eu" },
	{ "fas", "fa" }, { "fin", "fi" }, { "fra", "fr" }, { "fre", "fr" },
	{ "geo", "ka" }, { "ger", "de" }, { "gla", "gd" }, { "gle", "ga" },
	{ "glg", "gl" }, { "gre", "el" }, { "heb", "he" }, { "hin", "hi" },
	{ "hrv", "hr" }, { "hun", "hu" }, { "hye", "hy" }, { "ice", "is" },
	{ "isl", "is" }, { "ita", "it" }, { "jpn", "ja" }, { "kat", "ka" },
	{ "kaz", "kk" }, { "kir", "ky" }, { "kor", "ko" }, { "kur", "ku" },
	{ "lav", "lv" }, { "lit", "lt" }, { "ltz", "lb" }, { "mac", "mk" },
	{ "mkd", "mk" }, { "mlt", "mt" }, { "mon", "mn" }, { "nld", "nl" },
	{ "nno", "nn" }, { "nob", "nb" }, { "nor", "no" }, { "per", "fa" },
	{ "pol", "pl" }, { "por", "pt" }, { "ron", "ro" }, { "rum", "ro" },
	{ "rus", "ru" }, { "slk", "sk" }, { "slo", "sk" }, { "slv", "sl" },
	{ "spa", "es" }, { "sqi", "sq" }, { "srp", "sr" }, { "swe", "sv" },
	{ "tgk", "tg" }, { "tha", "th" }, { "tuk", "tk" }, { "tur", "tr" },
	{ "ukr", "uk" }, { "urd", "ur" }, { "uzb", "uz" }, { "vie", "vi" },
	{ "wel", "cy" }, { "zho", "zh" },
};

const char *xmltv_lang(const char lang[4])
{
	for (size_t i = 0; i < ARRAY_LEN(langs); i++)
		if (strcasecmp(langs[i].three, lang) == 0)
			return langs[i].two;
	for (size_t i = 0; i < 3; i++)
		if (!isalpha((unsigned char)lang[i]))
			return "";
	return lang;
}

/* --- back --- */

/* Is the word a part of a genre ("Movie" of "Movie/Drama")? */
static bool is_part(const char *list, const char *word)
{
	size_t len = strlen(word), part;

	for (;; list += part + 1) {
		part = strcspn(list, "/");
		if (part == len && strncasecmp(list, word, len) == 0)
			return true;
		if (list[part] == '\0')
			return false;
	}
}

uint8_t xmltv_content(const char *word)
{
	for (unsigned i = 1; i < LEVEL; i++)
		if (genres[i] != NULL && strcasecmp(genres[i], word) == 0)
			return (uint8_t)(i << 4);
	for (unsigned i = 1; i < LEVEL; i++)
		for (unsigned k = 0; k < LEVEL; k++)
			if (details[i][k] != NULL &&
			    strcasecmp(details[i][k], word) == 0)
				return (uint8_t)(i << 4 | k);
	for (unsigned i = 1; i < LEVEL; i++)
		if (genres[i] != NULL && word[0] != '\0' &&
		    is_part(genres[i], word))
			return (uint8_t)(i << 4);
	return 0;
}

/* Is this a bibliographic code of ISO 639-2 for whose language there is another
 * code for terminology? */
static bool is_bibliographic(const char *three)
{
	static const char list[] = "alb arm baq chi cze dut fre geo ger gre "
				   "ice mac per rum slo wel";

	return strstr(list, three) != NULL;
}

void xmltv_lang_read(const char *code, char ret[4])
{
	size_t len = strcspn(code, "-_");

	memcpy(ret, "und", sizeof "und");
	for (size_t i = 0; i < len; i++)
		if (!isalpha((unsigned char)code[i]))
			return;
	for (size_t i = 0; len == 3 && i < len; i++)
		ret[i] = (char)tolower((unsigned char)code[i]);
	for (size_t i = 0; len == 2 && i < ARRAY_LEN(langs); i++)
		if (strncasecmp(langs[i].two, code, len) == 0 &&
		    !is_bibliographic(langs[i].three))
			memcpy(ret, langs[i].three, sizeof langs[i].three);
}
