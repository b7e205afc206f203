/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that writes the tables of charset.h, except charset_6937, as C
 * source to standard output.  make runs it on the build machine; it takes the
 * characters from iconv(3).
 */
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* Decodes len bytes to a Unicode character; 0: they are no character. */
static unsigned decode(iconv_t cd, char *bytes, size_t len)
{
	wchar_t c = 0;
	char *out = (char *)&c;
	size_t room = sizeof c;

	(void)iconv(cd, NULL, NULL, NULL, NULL);
	return iconv(cd, &bytes, &len, &out, &room) == 0 ? (unsigned)c : 0;
}

/* Writes the characters of all bytes from `first' on, each behind the lead
 * byte; lead 0: each alone. */
static void write_row(iconv_t cd, unsigned lead, unsigned first)
{
	(void)fputs("\t{", stdout);
	for (unsigned byte = first; byte <= 0xff - (lead != 0); byte++) {
		char bytes[] = { (char)lead, (char)byte };
		unsigned c = lead != 0 ? decode(cd, bytes, 2)
				       : decode(cd, &bytes[1], 1);

		(void)printf("%s0x%04x,", byte % 8 == 0 ? "\n\t" : " ", c);
	}
	(void)fputs("\n\t},\n", stdout);
}

static iconv_t open_table(const char *name)
{
	iconv_t cd = iconv_open("WCHAR_T", name);

	if (cd != (iconv_t)-1)
		return cd;
	(void)fprintf(stderr,
		      "make_charsets: iconv cannot read %s: install all gconv "
		      "modules of the C library\n",
		      name);
	exit(1);
}

static void write_two_bytes(const char *variable, const char *name)
{
	iconv_t cd = open_table(name);

	(void)printf("\nconst uint16_t %s[94][94] = {\n", variable);
	for (unsigned lead = 0xa1; lead <= 0xfe; lead++)
		write_row(cd, lead, 0xa1);
	(void)puts("};");
	(void)iconv_close(cd);
}

int main(void)
{
	(void)puts("/* made by proto/si/make_charsets */\n"
		   "#include \"proto/si/charset.h\"\n");
	(void)puts("const uint16_t charset_8859[16][96] = {");
	for (unsigned part = 1; part <= 15; part++) {
		char name[16];
		iconv_t cd;

		if (part == 12)
			continue; /* ISO/IEC 8859-12 was never published */
		(void)snprintf(name, sizeof name, "ISO-8859-%u", part);
		cd = open_table(name);
		(void)printf("\t[%u] =\n", part);
		write_row(cd, 0, 0xa0);
		(void)iconv_close(cd);
	}
	(void)puts("};");
	write_two_bytes("charset_gb2312", "EUC-CN");
	write_two_bytes("charset_ksx1001", "EUC-KR");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
