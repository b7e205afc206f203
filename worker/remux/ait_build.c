/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/ait_build.h"

#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

#include <string.h>

/* values of TS 102 809 5.2 and 5.3 */
enum {
	HBBTV_APPLICATION = 0x0010,
	CONTROL_AUTOSTART = 0x01,
	DESC_APPLICATION = 0x00,
	DESC_APPLICATION_NAME = 0x01,
	DESC_TRANSPORT_PROTOCOL = 0x02,
	DESC_SIMPLE_LOCATION = 0x15,
	PROTOCOL_HTTP = 0x0003,
	LABEL = 1,
	/* the identifier of an application without trust */
	ORGANISATION = 0x0000000a,
	APPLICATION = 0x0001,
};

/* The length of the base of an URL, which ends with its last slash:
 * "http://host/path/" of "http://host/path/page".  Without a path it is the
 * whole URL. */
static size_t base_length(const char *url)
{
	const char *host = strstr(url, "://");
	size_t path = strcspn(url, "?");
	size_t start = host != NULL ? (size_t)(host - url) + 3 : 0;

	while (path > start && url[path - 1] != '/')
		path--;
	return path > start ? path : strlen(url);
}

size_t ait_build(const char *url, uint8_t ret[SECTION_PSI_MAX])
{
	/* body of the application_descriptor: profile 0, version 1.1.1; bound
	 * to the service, visible to users and applications */
	static const uint8_t application[] = {
		5, 0x00, 0x00, 1, 1, 1, 0xff, 1, LABEL,
	};
	static const char name[] = "HbbTV";
	size_t base = base_length(url), page = strlen(url + base);
	struct section_writer w;
	size_t list, loop;

	section_begin(&w, ret, &(struct section_head){
		.table_id = AIT_TABLE_ID,
		.dvb = true,
		.extension = HBBTV_APPLICATION,
		.limit = SECTION_PSI_MAX,
	});
	write_loop_end(&w, write_loop_begin(&w)); /* no common descriptors */
	list = write_loop_begin(&w);
	write_u16(&w, ORGANISATION >> 16);
	write_u16(&w, ORGANISATION & 0xffff);
	write_u16(&w, APPLICATION);
	write_u8(&w, CONTROL_AUTOSTART);
	loop = write_loop_begin(&w);
	write_u8(&w, DESC_TRANSPORT_PROTOCOL);
	write_u8(&w, (unsigned)(2 + 1 + 1 + base + 1));
	write_u16(&w, PROTOCOL_HTTP);
	write_u8(&w, LABEL);
	write_u8(&w, (unsigned)base);
	write_bytes(&w, url, base);
	write_u8(&w, 0); /* no URL extensions */
	write_u8(&w, DESC_APPLICATION);
	write_u8(&w, sizeof application);
	write_bytes(&w, application, sizeof application);
	write_u8(&w, DESC_APPLICATION_NAME);
	write_u8(&w, 3 + 1 + sizeof name - 1);
	write_bytes(&w, "eng", 3);
	write_u8(&w, sizeof name - 1);
	write_bytes(&w, name, sizeof name - 1);
	write_u8(&w, DESC_SIMPLE_LOCATION);
	write_u8(&w, (unsigned)page);
	write_bytes(&w, url + base, page);
	write_loop_end(&w, loop);
	write_loop_end(&w, list);
	return section_end(&w);
}
