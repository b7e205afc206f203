/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/si_table.h"

#include "common/base/util.h"

#include <stddef.h>

enum si_table si_table_find(uint8_t table_id, bool *ret_actual)
{
	static const struct {
		uint8_t table_id;
		enum si_table table;
		bool actual;
	} tables[] = {
		{ 0x00, SI_PAT, true }, { 0x01, SI_CAT, true },
		{ 0x02, SI_PMT, true }, { 0x40, SI_NIT, true },
		{ 0x41, SI_NIT, false }, { 0x42, SI_SDT, true },
		{ 0x46, SI_SDT, false }, { 0x4a, SI_SDT, false },
		{ 0x4e, SI_EIT, true }, { 0x4f, SI_EIT, false },
		{ 0x70, SI_TDT, true }, { 0x73, SI_TDT, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		if (tables[i].table_id != table_id)
			continue;
		*ret_actual = tables[i].actual;
		return tables[i].table;
	}
	*ret_actual = false;
	return SI_TABLES;
}
