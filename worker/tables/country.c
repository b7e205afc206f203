/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/country.h"

#include <string.h>

/* Country codes of ISO 3166-1: for each country the one of two letters, then
 * the one of three letters, then a space. */
static const char codes[] =
	"ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM "
	"ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD BEBEL BFBFA BGBGR "
	"BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN "
	"BVBVT BWBWA BYBLR BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV "
	"CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP "
	"CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH "
	"ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB GBGBR "
	"GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ "
	"GRGRC GSSGS GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI "
	"HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA "
	"JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK "
	"KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO "
	"LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL "
	"MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS "
	"MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC "
	"NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG "
	"PHPHL PKPAK PLPOL PMSPM PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT "
	"REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP "
	"SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP "
	"SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF TGTGO THTHA TJTJK TKTKL "
	"TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA "
	"UMUMI USUSA UYURY UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT "
	"WFWLF WSWSM YEYEM YTMYT ZAZAF ZMZMB ZWZWE ";

enum { CODE_LEN = 6 };

static bool from_two(const char *two, char ret[4])
{
	for (const char *c = codes; *c != '\0'; c += CODE_LEN)
		if (c[0] == two[0] && c[1] == two[1]) {
			memcpy(ret, c + 2, 3);
			ret[3] = '\0';
			return true;
		}
	return false;
}

bool country_of_zone(const char *list, size_t len, const char *zone,
		     char ret[4])
{
	const char *end = list + len, *next;
	size_t zone_len = strlen(zone);

	/* a line is "DE\t+5230+01322\tEurope/Berlin\tcomment" */
	for (const char *line = list; line < end; line = next + (next < end)) {
		const char *name;

		next = memchr(line, '\n', (size_t)(end - line));
		if (next == NULL)
			next = end;
		if (*line == '#' || next - line < 4 || line[2] != '\t')
			continue;
		name = memchr(line + 3, '\t', (size_t)(next - line) - 3);
		if (name == NULL || (size_t)(next - ++name) < zone_len ||
		    memcmp(name, zone, zone_len) != 0 ||
		    (name + zone_len < next && name[zone_len] != '\t'))
			continue;
		return from_two(line, ret);
	}
	return false;
}
