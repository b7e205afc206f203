/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/json.h"

#include "common/base/alloc.h"
#include "proto/si/text.h"

#include <stdlib.h>
#include <string.h>

enum {
	MJD_1970 = 40587, /* the modified Julian date of 1970-01-01 */
	DAY_S = 24 * 3600,
};

void si_put_uint(json_t *object, const char *key, uint64_t value)
{
	(void)json_object_set_new(object, key,
				  json_integer((json_int_t)value));
}

void si_put_bool(json_t *object, const char *key, bool value)
{
	(void)json_object_set_new(object, key, json_boolean(value));
}

void si_put_string(json_t *object, const char *key, const char *value)
{
	(void)json_object_set_new(object, key, json_string(value));
}

void si_put_text(json_t *object, const char *key, struct bytes b)
{
	char *text = xcalloc(1, TEXT_UTF8_SIZE(b.len));
	size_t n = text_decode(b.data, b.len, text, TEXT_UTF8_SIZE(b.len));

	(void)json_object_set_new(object, key, json_stringn_nocheck(text, n));
	free(text);
}

void si_put_ascii(json_t *object, const char *key, struct bytes b)
{
	char *text = xcalloc(1, b.len + 1);

	for (size_t i = 0; i < b.len; i++)
		text[i] = b.data[i] >= 0x20 && b.data[i] < 0x7f
				  ? (char)b.data[i]
				  : '?';
	(void)json_object_set_new(object, key,
				  json_stringn_nocheck(text, b.len));
	free(text);
}

void si_put_hex(json_t *object, const char *key, struct bytes b)
{
	static const char digits[] = "0123456789abcdef";
	char *text = xcalloc(1, 2 * b.len + 1);

	for (size_t i = 0; i < b.len; i++) {
		text[2 * i] = digits[b.data[i] >> 4];
		text[2 * i + 1] = digits[b.data[i] & 0x0f];
	}
	(void)json_object_set_new(object, key,
				  json_stringn_nocheck(text, 2 * b.len));
	free(text);
}

json_t *si_put_list(json_t *object, const char *key)
{
	json_t *list = json_array();

	(void)json_object_set_new(object, key, list);
	return list;
}

json_t *si_add_object(json_t *list)
{
	json_t *object = json_object();

	(void)json_array_append_new(list, object);
	return object;
}

uint64_t si_bcd(uint64_t value, unsigned n)
{
	uint64_t number = 0;

	for (; n >= 4; n -= 4)
		number = number * 10 + (value >> (n - 4) & 0x0f);
	return number;
}

uint64_t si_to_bcd(uint64_t number)
{
	uint64_t bcd = 0;

	for (unsigned at = 0; at < 64; at += 4, number /= 10)
		bcd |= number % 10 << at;
	return bcd;
}

uint64_t si_to_time(uint64_t time_s)
{
	uint64_t second = time_s % DAY_S;

	return (time_s / DAY_S + MJD_1970) << 24 |
	       si_to_bcd(second / 3600 * 10000 + second / 60 % 60 * 100 +
			 second % 60);
}

bool si_time(uint64_t mjd_bcd, int64_t *ret)
{
	uint64_t mjd = mjd_bcd >> 24 & 0xffff;
	uint64_t hour = si_bcd(mjd_bcd >> 16 & 0xff, 8);
	uint64_t minute = si_bcd(mjd_bcd >> 8 & 0xff, 8);
	uint64_t second = si_bcd(mjd_bcd & 0xff, 8);

	if (mjd < MJD_1970 || hour > 23 || minute > 59 || second > 60)
		return false;
	*ret = (int64_t)((mjd - MJD_1970) * DAY_S + hour * 3600 + minute * 60 +
			 second);
	return true;
}

bool si_duration(uint64_t bcd, uint32_t *ret)
{
	uint64_t hhmmss = si_bcd(bcd, 24);
	uint64_t minute = hhmmss / 100 % 100, second = hhmmss % 100;

	if (bcd == 0xffffff || minute > 59 || second > 59)
		return false;
	*ret = (uint32_t)(hhmmss / 10000 * 3600 + minute * 60 + second);
	return true;
}

void si_put_time(json_t *object, const char *key, uint64_t mjd_bcd)
{
	int64_t time_s;

	if (si_time(mjd_bcd, &time_s))
		si_put_uint(object, key, (uint64_t)time_s);
}
