/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/nit_build.h"

#include "proto/si/bits.h"
#include "proto/si/desc.h"
#include "proto/si/text.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

#include <string.h>

enum {
	DESC_NETWORK_NAME = 0x40,
	DESC_SERVICE_LIST = 0x41,
	DESC_BOUQUET_NAME = 0x47,
	DESC_SATELLITE = 0x43,
	DESC_CABLE = 0x44,
	DESC_TERRESTRIAL = 0x5a,
	DESC_PRIVATE_DATA = 0x5f,
	DESC_LOGICAL_CHANNEL = 0x83,
	DELIVERY_LEN = 11,
	SPECIFIER_EACEM = 0x28,
	SPECIFIER_NORDIG = 0x29,
	FEC_OUTER_RS = 2,
};

/* Writes a number as n decimal digits of four bits. */
static void put_bcd(struct bit_writer *w, unsigned n, unsigned value)
{
	uint32_t bcd = 0;

	for (unsigned i = 0; i < n; i++, value /= 10)
		bcd |= (uint32_t)(value % 10) << 4 * i;
	bits_put(w, 4 * n, bcd);
}

/* Writes the body of a satellite_delivery_system_descriptor (EN 300 468
 * 6.2.13.2). */
static void put_satellite(struct bit_writer *w, const struct delivery_spec *d)
{
	static const uint8_t codes[] = { [MODULATION_QPSK] = 1,
					 [MODULATION_PSK8] = 2,
					 [MODULATION_QAM16] = 3 };
	bool s2 = d->type == DELIVERY_S2, east = false;
	unsigned tenths = 0;

	(void)position_parse(d->position, &tenths, &east);
	put_bcd(w, 8, delivery_khz(d) / 10);
	put_bcd(w, 4, tenths);
	bits_put(w, 1, east);
	bits_put(w, 2, d->polarization);
	bits_put(w, 2, s2 ? d->rolloff : 0);
	bits_put(w, 1, s2);
	bits_put(w, 2, codes[d->modulation]);
	put_bcd(w, 7, d->symbolrate * 10);
	bits_put(w, 4, d->fec);
}

/* Writes the body of a cable_delivery_system_descriptor (EN 300 468
 * 6.2.13.1). */
static void put_cable(struct bit_writer *w, const struct delivery_spec *d)
{
	unsigned code = d->modulation == MODULATION_AUTO
				? 0
				: d->modulation - MODULATION_QAM16 + 1;

	put_bcd(w, 8, delivery_khz(d) * 10);
	bits_put(w, 12, 0xfff);
	bits_put(w, 4, FEC_OUTER_RS);
	bits_put(w, 8, code);
	put_bcd(w, 7, d->symbolrate * 10);
	bits_put(w, 4, d->fec);
}

/* Writes the body of a terrestrial_delivery_system_descriptor (EN 300 468
 * 6.2.13.4). */
static void put_terrestrial(struct bit_writer *w, const struct delivery_spec *d)
{
	unsigned modulation = d->modulation == MODULATION_QPSK ? 0
			      : d->modulation == MODULATION_QAM16 ? 1 : 2;

	bits_put(w, 32, delivery_khz(d) * 100);
	bits_put(w, 3, 8 - d->bandwidth / 1000);
	bits_put(w, 5, 0x1f); /* high priority, no time slicing, no MPE-FEC */
	bits_put(w, 2, modulation);
	bits_put(w, 3, d->hierarchy);
	bits_put(w, 3, d->fec - 1);
	bits_put(w, 3, d->fec - 1);
	bits_put(w, 2, d->guard_interval);
	bits_put(w, 2, d->transmission_mode);
	bits_put(w, 1, 0);
	bits_put(w, 32, UINT32_MAX);
}

static void write_delivery(struct section_writer *w,
			   const struct delivery_spec *d)
{
	uint8_t data[DELIVERY_LEN] = { 0 };
	struct bit_writer bits = { data, sizeof data, 0 };
	unsigned tag = DESC_SATELLITE;

	if (d->type == DELIVERY_NONE)
		return;
	if (d->type == DELIVERY_C) {
		tag = DESC_CABLE;
		put_cable(&bits, d);
	} else if (d->type == DELIVERY_T) {
		tag = DESC_TERRESTRIAL;
		put_terrestrial(&bits, d);
	} else {
		put_satellite(&bits, d);
	}
	write_u8(w, tag);
	write_u8(w, sizeof data);
	write_bytes(w, data, sizeof data);
}

/* Writes the logical channel numbers: in the low 10 bits of a field for EACEM,
 * in its low 14 bits for NorDig. */
static void write_channels(struct section_writer *w,
			   const struct nit_transport *t,
			   const struct nit_service *list, size_t n)
{
	bool nordig = t->delivery->lcn == LCN_NORDIG_V1;
	uint32_t specifier = t->private_data_specifier;
	size_t with_lcn = 0;

	for (size_t i = 0; i < n; i++)
		with_lcn += list[i].lcn > 0;
	if (with_lcn == 0)
		return;
	if (specifier == 0)
		specifier = nordig ? SPECIFIER_NORDIG : SPECIFIER_EACEM;
	write_u8(w, DESC_PRIVATE_DATA);
	write_u8(w, 4);
	write_u16(w, specifier >> 16);
	write_u16(w, specifier & 0xffff);
	/* a descriptor has room for 63 entries of 4 bytes */
	for (size_t i = 0, left = with_lcn; left > 0;) {
		size_t here = MIN(left, 63);

		write_u8(w, DESC_LOGICAL_CHANNEL);
		write_u8(w, (unsigned)(4 * here));
		for (left -= here; here > 0; i++) {
			if (list[i].lcn == 0)
				continue;
			write_u16(w, list[i].pnr);
			write_u16(w, (nordig ? 0xc000u : 0xfc00u) |
					     list[i].lcn);
			here--;
		}
	}
}

static size_t sections_of(const struct nit_transport *t)
{
	return MAX((t->n_services + NIT_SERVICES - 1) / NIT_SERVICES, 1);
}

size_t nit_build_sections(const struct nit_content *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_transports; i++)
		n += sections_of(&c->transports[i]);
	return MIN(n, (size_t)NIT_SECTIONS_MAX);
}

/* Writes the entry of a transport stream, with up to NIT_SERVICES services from
 * index `at' on. */
static void write_transport(struct section_writer *w,
			    const struct nit_transport *t, size_t at,
			    bool bouquet)
{
	size_t n = MIN(t->n_services - at, (size_t)NIT_SERVICES), loop;

	write_u16(w, t->tsid);
	write_u16(w, t->onid);
	loop = write_loop_begin(w);
	if (n > 0) {
		write_u8(w, DESC_SERVICE_LIST);
		write_u8(w, (unsigned)(3 * n));
	}
	for (size_t i = at; i < at + n; i++) {
		write_u16(w, t->services[i].pnr);
		write_u8(w, t->services[i].type);
	}
	if (!bouquet) {
		write_delivery(w, t->delivery);
		write_channels(w, t, t->services + at, n);
	}
	write_loop_end(w, loop);
}

size_t nit_build(const struct nit_content *c, size_t number,
		 uint8_t ret[SECTION_PSI_MAX])
{
	const struct nit_transport *t = c->transports;
	size_t at = number, loop, streams, len;
	uint8_t name[TEXT_DESC_MAX];
	struct section_writer w;

	for (; at >= sections_of(t); t++)
		at -= sections_of(t);
	section_begin(&w, ret, &(struct section_head){
		.table_id = c->bouquet ? BAT_TABLE_ID : NIT_TABLE_ID,
		.dvb = true,
		.extension = c->id,
		.number = (uint8_t)number,
		.last = (uint8_t)(nit_build_sections(c) - 1),
		.limit = SECTION_PSI_MAX,
	});
	loop = write_loop_begin(&w);
	len = text_encode(c->name, text_table_for(c->name, c->textcode), name,
			  sizeof name, NULL);
	if (len > 0) {
		write_u8(&w, c->bouquet ? DESC_BOUQUET_NAME
					: DESC_NETWORK_NAME);
		write_u8(&w, (unsigned)len);
		write_bytes(&w, name, len);
	}
	write_loop_end(&w, loop);
	streams = write_loop_begin(&w);
	write_transport(&w, t, at * NIT_SERVICES, c->bouquet);
	write_loop_end(&w, streams);
	return section_end(&w);
}
