/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/si_table.h"

#include "common/base/util.h"
#include "worker/ts/pat.h"
#include "worker/ts/pmt.h"

#include <stddef.h>

enum si_table si_table_find(uint8_t table_id, bool *ret_actual)
{
	static const struct {
		uint8_t table_id;
		enum si_table table;
		bool actual;
	} tables[] = {
		{ PAT_TABLE_ID, SI_PAT, true },
		{ CAT_TABLE_ID, SI_CAT, true },
		{ PMT_TABLE_ID, SI_PMT, true },
		{ NIT_TABLE_ID, SI_NIT, true },
		{ NIT_OTHER_TABLE_ID, SI_NIT, false },
		{ SDT_TABLE_ID, SI_SDT, true },
		{ SDT_OTHER_TABLE_ID, SI_SDT, false },
		{ BAT_TABLE_ID, SI_SDT, false },
		{ EIT_TABLE_ID, SI_EIT, true },
		{ EIT_OTHER_TABLE_ID, SI_EIT, false },
		{ TDT_TABLE_ID, SI_TDT, true },
		{ TOT_TABLE_ID, SI_TDT, true },
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
