// SPDX-License-Identifier: GPL-3.0-or-later
// CAS entries: the conditional access systems that scramble.

import { t } from '../common/words.js';
import { Entries } from './entries.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./merge.js').Entry} Entry */

/** @type {import('./entries.js').Kind} */
const KIND = { page: 'cas', list: 'cas', cmd: 'set-cas', field: 'cas',
	makesId: false, title: 'cas', empty: 'no_cas', note: 'cas_note',
	fresh: { name: '' } };

/** What the entry lacks to run. @param {Entry} entry */
function lacks(entry) {
	return ['ecmg_channel_id', 'ecmg_host', 'ecmg_port'].filter((key) =>
		entry[key] === undefined || entry[key] === '');
}

/** @param {{app: import('./app.js').App,
 *	ask: import('./actions.js').Ask}} props */
export function Cas({ app, ask }) {
	return html`<${Entries} app=${app} ask=${ask} kind=${KIND}
		heads=${[['name', ''], ['id', ''], ['super_cas_id', ''],
			['ecmg', ''], ['reason', '']]}
		cells=${(/** @type {Entry} */ one) => html`
			<td><b><${Foreign} text=${one.name ?? ''} /></b></td>
			<td class="mono"><${Foreign} text=${one.id} /></td>
			<td class="mono"><${Foreign} text=${one.super_cas_id ?? ''} />
			</td>
			<td class="mono"><${Foreign} text=${one.ecmg_host === undefined
				? '' : `${one.ecmg_host}:${one.ecmg_port ?? ''}`} /></td>
			<td class="is-warn">${lacks(one).length > 0 && app.isControl
				? t('lacks_keys', { keys: lacks(one).join(', ') })
				: ''}</td>`} />`;
}
