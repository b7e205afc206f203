/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/atsc_huffman.h"

enum {
	CONTEXTS = 128,
	END = 0,
	ESCAPE = 27,
	ONE_BYTE = 0x80, /* from this character on there are no trees */
};

/*
 * The trees of codes, by the previous character (A/65 tables C.4 to C.7).  A
 * tree is written as a text in prefix order: '^' is a node, followed by its
 * branch for the bit 0 and its branch for the bit 1.  A leaf is '|' for the end
 * of the text, '~' for the escape, or else the character itself.  If a
 * character has no tree, one bit of any value behind it is the escape
 * (ESCAPE_ALONE).
 */
#define NODE '^'
#define LEAF_END '|'
#define LEAF_ESCAPE '~'
#define ESCAPE_ALONE "^~~"

/* The trees for titles of programs. */
static const char *const titles[CONTEXTS] = {
	['\0'] = "^^^S^WN^T^^J^^^Q^27UOA^^^^IEB^MC^^^F^^Y^^Z^4$~^KV^RD^^GL^PH",
	[' '] = "^^^^^^^^^9^Xe-^2ZYGo^BW^^^^^^c3^^'1d&^iKM^^a^EOt^^^T^^^^f^lQ"
		"U^^~bVF^^RH^NA^^CS^^DP^L^JI",
	['!'] = "^^ ~|",
	['$'] = "^1~",
	['&'] = "^~ ",
	['\''] = "^^^^d9t^ ~s",
	['*'] = "^^~A^HS",
	[','] = "^~ ",
	['-'] = "^^^MA~^^^1R^ST^^U- ",
	['.'] = "^ ^^^S^IW~^.|",
	['0'] = "^^^-~|^ 0",
	['1'] = "^^9^|~^^12^ 0",
	['2'] = "^^^1:0^~|",
	['3'] = "^|^0~",
	['4'] = "^~8",
	['7'] = "^~0",
	['8'] = "^~ ",
	['9'] = "^^90^^13~",
	[':'] = "^~ ",
	['?'] = "^~|",
	['A'] = "^^^^r^~sd^ ^^cf^w^gt^^ln^^^u^bi^^^*-^.v^Bpm",
	['B'] = "^^^^C^~^ASre^^u^il^oa",
	['C'] = "^^^l^^u~^i^^AyBh^^a^r^ ^Oeo",
	['D'] = "^^o^^^y~ur^a^ie",
	['E'] = "^^^dx^^my~^^v^C^s^qu^^lna",
	['F'] = "^^^lu^o^e^L^ ~^a^ir",
	['G'] = "^^ro^^i^^h^.l^~^yA^e^au",
	['H'] = "^o^e^a^^u^|~i",
	['I'] = "^n^^^|~^m^c^:T^^Is^t^ ^.r",
	['J'] = "^^^~ua^oe",
	['K'] = "^^^~e^^ao^uni",
	['L'] = "^^o^^^ ~ue^ai",
	['M'] = "^^o^uy^^i^e^r^c^^*T~a",
	['N'] = "^e^^^~Bo^^^^N ^Fuai",
	['O'] = "^^^^wp ^~^r^ds^n^^l^fvu",
	['P'] = "^^a^e^^^y.ui^r^o^l^^RG^^ s~",
	['Q'] = "^^~Vu",
	['R'] = "^^io^^^^h~uae",
	['S'] = "^^^ept^^h^o^^^*l^q.^~k^^iu^^c^^ w^mna",
	['T'] = "^h^^r^ae^o^i^^V^~^-N^uw",
	['U'] = "^n^^^l.~p",
	['V'] = "^^^|^o~^^e^ Cai",
	['W'] = "^^^^r^^FW~hi^o^ea",
	['Y'] = "^^^a~eo",
	['Z'] = "^^~ao",
	['a'] = "^^^^y^|vl^^^g^b^zhmt^^r^^d^k^^^ejfw^ i^n^s^^p^^'^x^~:uc",
	['b'] = "^^a^l^ ^ub^^y^er^o^i^^s~|",
	['c'] = "^^^t^^s^c^CLi^^ ^u^|la^^^^^y^G~roh^ke",
	['d'] = "^^e^^ys|^^^^^dgvi^a^^r^l^w^.u^~o ",
	['e'] = "^^^^^^vpy^^^^^jq^uz^:xod| ^^^a^l^^fmc^^e^^gk^^'b^i^^~!^-h^tw"
		"^r^ns",
	['f'] = "^ ^^^ti^of^e^^|a^^^u~l^sr",
	['g'] = "^^h ^^^a^r^^'tne^|^^^^~^:yoi^^u^gls",
	['h'] = "^e^^i^^^ynr ^^ao^^^^w~^l^bu|t",
	['i'] = "^^^^v^^ pa^d^^^b^ik^^^!x|^~zf^^ot^ls^n^^ge^^rmc",
	['j'] = "^o^~a",
	['k'] = "^^^^^^To:^^fl~^s^y^wa|^e^i ",
	['l'] = "^^^di^ ^^^^b^':ks^^^^cw~tu^^^|yl^e^a^^^f^r-^mvo",
	['m'] = "^^^^bm ^^|^^y~^usi^^^poae",
	['n'] = "^^^|d^e^s^^^v^z~'c^^^i^^y^:fng^ ^^a^^^^bju^^rh^lm^kot",
	['o'] = "^^^^w^gt^^^^xyb|o^^l ^^vp^^^^'~e^h^^?^.zid^^^mfr^^^^c^aksun",
	['p'] = "^^o^ ^lp^^^^sra^i^t^~d^^^h^^m'y|e",
	['q'] = "^~u",
	['r'] = "^^^a^yl^i^^^m^^v~'n^r^^.g^^pbc^^^t|e^^^d^k^u^^:,fo^s ",
	['s'] = "^^^^^^^^fm:khs^^^p^^r.~^^u^ln^^y^',^^?C^Hdi ^^t^^o^ace|",
	['t'] = "^^^^asi^|e^^^^^bmlo ^^^^^^dw^~'yu^r^^^^:?ncth",
	['u'] = "^^^^l^^~^kzi^e^a^ ^|fr^^^^dp^mbs^n^^cgt",
	['v'] = "^^^a^~^soie",
	['w'] = "^^^a|^^^r^'b^~^lc ^s^^io^ne",
	['x'] = "^^^aet^^i^~ ^|p",
	['y'] = "^ ^|^^^^^di^noe^^^pt'^^v!^am^s^^w^^c-b^~l",
	['z'] = "^^^ ya^^~^ez^|i",
};

/* The trees for descriptions of programs. */
static const char *const descriptions[CONTEXTS] = {
	['\0'] = "^^^P^^NKB^A^^^IO^WGC^^^R^EL^S^FH^^JT^^^^~V\"DM",
	[' '] = "^^^^^m^GJh^o^^NPr^^^^W^2ES^^B^F1^Lla^^^^d^eg^Ac^^^^^^^7Z~OnM"
		"i^pb^^^w^^K^^4qI^T^yjt^^sf^^C^DH^^R^ku^^v^\"U^^VY^^(3^5^-/",
	['"'] = "^^^|.^HT^~ ",
	['\''] = "^^~^ ts",
	[')'] = "^,~",
	[','] = "^^~\" ",
	['-'] = "^^^a^bd^^efs^~^c^ r",
	['.'] = "^^^~^\"^JS |",
	['/'] = "^~ ",
	['0'] = "^^0s^^~7^t ",
	['1'] = "^9^ ^8~",
	['2'] = "^.^^6~ ",
	['3'] = "^ ^~0",
	['4'] = "^.^~ ",
	['5'] = "^.^ ~",
	['7'] = "^~^,.",
	['9'] = "^^56^8^~ ",
	[':'] = "^~ ",
	[';'] = "^~ ",
	['?'] = "^~ ",
	['A'] = "^^ln^^^^st^~d^^^fumr ",
	['B'] = "^^ir^^^u^~la^oe",
	['C'] = "^^a^^yr^u^~i^h^lo",
	['D'] = "^^ia^^eo^^yr^u~",
	['E'] = "^^^dl^s^ai^~^^nvr",
	['F'] = "^^~o^^elr",
	['G'] = "^^^~le^^i^uo^ar",
	['H'] = "^^a^~e^o^iu",
	['I'] = "^^^ I^s~^^.rn",
	['J'] = "^o^^^~.u^^iea",
	['K'] = "^e^^ai^r~",
	['L'] = "^^e^u^~i^oa",
	['M'] = "^a^i^^o^~c^ue",
	['N'] = "^e^o^^~ia",
	['O'] = "^^s^'n^~^lr",
	['P'] = "^a^^^i^~ho^^rle",
	['R'] = "^^^^~.ia^eo",
	['S'] = "^^^^^vy.^cit^^a^u~^h^eo",
	['T'] = "^h^^^Va^~i^^r^ewo",
	['U'] = "^.^~n",
	['V'] = "^i^ ^e~",
	['W'] = "^^o^~h^i^ea",
	['Y'] = "^~o",
	['a'] = "^^^^^pys^^g^fb^^^^z^hoevdn^^r ^^^^kucl^^^i^.^^x~^'wmt",
	['b'] = "^^e^^l y^^a^^^~.^b^dsi^o^ru",
	['c'] = "^^^^u^~rt^^^^,^q.^c^Dyie^^^^ lko^ah",
	['d'] = "^^e^^.^dy^o^r^^v^';l^^^as^^^^^fm~u^^n^wg,i ",
	['e'] = "^^^^d^^ix^^bg,^l^.^op^ns^^^a^c^^^^)h-^;km^^et^^vy^^^z^u~^'fw"
		"^r ",
	['f'] = "^^^ei^^tfr^ ^o^^u^l^.~a",
	['g'] = "^^e^^o^^y^-g.h^ ^^^sui^a^^l^~'^,r",
	['h'] = "^^i^oa^^ ^^^u.^^^',^s-n^t^^~yre",
	['i'] = "^^^^r^v^p^^x~ tn^^^^dm^g^^^.z^^,bkfs^^l^ao^ec",
	['j'] = "^^^~a^euo",
	['k'] = "^^^^~.s ^^^^'n^^ly,ie",
	['l'] = "^^^a^^.p^^t,^^~b^^'-^nc^^y^s^fmi^^l^o^^v^u^krd^ e",
	['m'] = "^^ae^^^op^^b^~^';^ms^^i^^y.u ",
	['n'] = "^^^ge^^^^^~u^^zf'cs^^.^^vy^^l^-;^^bj^mr^ni^ ^d^t^^,^koa",
	['o'] = "^^^f ^^^p^k^.^-,lr^^^^^cas^tw^^o^^^x^B~evu^^m^^^ghd^^yibn",
	['p'] = "^^^ a^l^^s^y~o^^r^^^.^-mui^e^^tph",
	['q'] = "^~u",
	['r'] = "^^^o^^lmt^i^^nys^^^^^uc.^^,g^r^'^^);~e^^^d^k^^-b^p^vfa ",
	['s'] = "^ ^^^.^c^^yp^^~w^^\"'^bkt^^^h^uae^^i^^l^^mn;,^os",
	['t'] = "^^h^^as^^t.^u^^,l^n^-m^^oe^^^^^w^^;b~^^'cyri ",
	['u'] = "^^r^^lps^^^^^ bc^i^^~kat^n^^de^g^^y^ovm",
	['v'] = "^^^^o^~^syaie",
	['w'] = "^^^h ^a^r^^.~^lm^i^o^e^sn",
	['x'] = "^^e^i^ ,^~^^-ta",
	['y'] = "^^^^^^md^iw,^es^^^l^'^?a^~n^^^^bf;o. ",
	['z'] = "^^^ae^lz^^~o^i^ .",
};

static uint8_t read_leaf(struct bits *in, const char *tree)
{
	while (*tree == NODE) {
		tree++;
		if (bits_take(in, 1) == 0)
			continue;
		/* skips the branch for the bit 0; that for the bit 1 follows */
		for (unsigned open = 1; open > 0; tree++) {
			if (*tree == NODE)
				open++;
			else
				open--;
		}
	}
	if (*tree == LEAF_END)
		return END;
	return *tree == LEAF_ESCAPE ? ESCAPE : (uint8_t)*tree;
}

void atsc_huffman_each(struct bytes text, enum atsc_huffman table,
		       atsc_huffman_fn *fn, void *arg)
{
	const char *const *trees = table == ATSC_HUFFMAN_TITLE ? titles
							       : descriptions;
	struct bits in = bits_of(text.data, text.len);
	uint8_t last = END;

	do {
		const char *tree = trees[last];

		last = read_leaf(&in, tree != NULL ? tree : ESCAPE_ALONE);
		/* the characters behind an escape have eight bits each, up to
		 * the first one below ONE_BYTE (A/65 C.2) */
		if (last == ESCAPE) {
			last = (uint8_t)bits_take(&in, 8);
			for (; last >= ONE_BYTE && !in.cut;
			     last = (uint8_t)bits_take(&in, 8))
				fn(last, arg);
		}
		if (last != END && !in.cut)
			fn(last, arg);
	} while (last != END && !in.cut);
}
