/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The characters of ISO/IEC 6937, in which a lead byte in front of a letter
 * puts a mark on the letter. */
#include "common/base/util.h"
#include "proto/si/charset.h"

enum { MARK_FIRST = 0x0300 /* the first combining mark of Unicode */ };

const uint16_t charset_6937[96] = {
	0x00a0, 0x00a1, 0x00a2, 0x00a3, 0x20ac, 0x00a5, 0x0023, 0x00a7,
	0x00a4, 0x2018, 0x201c, 0x00ab, 0x2190, 0x2191, 0x2192, 0x2193,
	0x00b0, 0x00b1, 0x00b2, 0x00b3, 0x00d7, 0x00b5, 0x00b6, 0x00b7,
	0x00f7, 0x2019, 0x201d, 0x00bb, 0x00bc, 0x00bd, 0x00be, 0x00bf,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	0x2014, 0x00b9, 0x00ae, 0x00a9, 0x2122, 0x266a, 0x00ac, 0x00a6,
	0, 0, 0, 0, 0x215b, 0x215c, 0x215d, 0x215e,
	0x2126, 0x00c6, 0x00d0, 0x00aa, 0x0126, 0, 0x0132, 0x013f,
	0x0141, 0x00d8, 0x0152, 0x00ba, 0x00de, 0x0166, 0x014a, 0x0149,
	0x0138, 0x00e6, 0x0111, 0x00f0, 0x0127, 0x0131, 0x0133, 0x0140,
	0x0142, 0x00f8, 0x0153, 0x00df, 0x00fe, 0x0167, 0x014b, 0x00ad,
};

/* The marks, by the lower four bits of the lead byte.  pairs: each letter that
 * can have the mark, followed by the character with the mark. */
static const struct accent {
	char16_t mark;
	const char16_t *pairs;
} accents[16] = {
	[0x1] = { 0x0300,
		  u"AÀEÈIÌNǸOÒUÙWẀYỲaàeèiìnǹoòuùwẁyỳ" },
	[0x2] = { 0x0301,
		  u" ´AÁCĆEÉGǴIÍKḰLĹMḾNŃOÓPṔRŔSŚUÚWẂYÝZŹaácćeégǵiíkḱ"
		  u"lĺmḿnńoópṕrŕsśuúwẃyýzź" },
	[0x3] = { 0x0302,
		  u"AÂCĈEÊGĜHĤIÎJĴOÔSŜUÛWŴYŶZẐaâcĉeêgĝhĥiîjĵoôsŝuûwŵ"
		  u"yŷzẑ" },
	[0x4] = { 0x0303,
		  u"AÃEẼIĨNÑOÕUŨVṼYỸaãeẽiĩnñoõuũvṽyỹ" },
	[0x5] = { 0x0304,
		  u" ¯AĀEĒGḠIĪOŌUŪYȲaāeēgḡiīoōuūyȳ" },
	[0x6] = { 0x0306,
		  u" ˘AĂEĔGĞIĬOŎUŬaăeĕgğiĭoŏuŭ" },
	[0x7] = { 0x0307,
		  u" ˙AȦBḂCĊDḊEĖFḞGĠHḢIİMṀNṄOȮPṖRṘSṠTṪWẆXẊYẎZŻaȧbḃcċ"
		  u"dḋeėfḟgġhḣmṁnṅoȯpṗrṙsṡtṫwẇxẋyẏzż" },
	[0x8] = { 0x0308,
		  u" ¨AÄEËHḦIÏOÖUÜWẄXẌYŸaäeëhḧiïoötẗuüwẅxẍyÿ" },
	[0x9] = { 0x0308, u"" }, /* umlaut; only in older editions */
	[0xa] = { 0x030a,
		  u" ˚AÅUŮaåuůwẘyẙ" },
	[0xb] = { 0x0327,
		  u" ¸CÇDḐEȨGĢHḨKĶLĻNŅRŖSŞTŢcçdḑeȩgģhḩkķlļnņrŗsştţ" },
	[0xc] = { 0x0332, u"" },
	[0xd] = { 0x030b,
		  u" ˝OŐUŰoőuű" },
	[0xe] = { 0x0328,
		  u" ˛AĄEĘIĮOǪUŲaąeęiįoǫuų" },
	[0xf] = { 0x030c,
		  u" ˇAǍCČDĎEĚGǦHȞIǏKǨLĽNŇOǑRŘSŠTŤUǓZŽaǎcčdďeěgǧhȟiǐ"
		  u"jǰkǩlľnňoǒrřsštťuǔzž" },
};

static const struct accent *find_mark(uint32_t mark)
{
	/* this test is enough for most characters, which are no marks */
	if (mark < MARK_FIRST)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(accents); i++)
		if (accents[i].mark == mark)
			return &accents[i];
	return NULL;
}

char16_t charset_6937_mark(uint8_t lead)
{
	return (lead & 0xf0) == 0xc0 ? accents[lead & 0x0f].mark : 0;
}

uint8_t charset_6937_lead(uint32_t mark)
{
	const struct accent *a = find_mark(mark);

	return a != NULL ? (uint8_t)(0xc0 | (a - accents)) : 0;
}

char16_t charset_compose(uint32_t letter, uint32_t mark)
{
	const struct accent *a = find_mark(mark);

	for (const char16_t *p = a != NULL ? a->pairs : u""; *p != 0; p += 2)
		if (*p == letter)
			return p[1];
	return 0;
}

bool charset_decompose(uint32_t character, char *ret_letter,
		       char16_t *ret_mark)
{
	for (size_t i = 0; i < ARRAY_LEN(accents); i++) {
		const char16_t *p = accents[i].pairs;

		for (; p != NULL && *p != 0; p += 2) {
			if (p[1] != character)
				continue;
			*ret_letter = (char)*p;
			*ret_mark = accents[i].mark;
			return true;
		}
	}
	return false;
}
