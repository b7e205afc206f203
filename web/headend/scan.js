// SPDX-License-Identifier: GPL-3.0-or-later
// From an address to streams: its programs, of which some are chosen.

import { useEffect, useState } from '../parts/hooks.js';
import { count } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { useOnce } from './fields.js';
import { NameError } from './found.js';
import { programsOf, sourceOf, streamOf } from './programs.js';
import { useScan } from './psi.js';
import { fromHere, href, replaceQuery } from './route.js';
import { toggled } from './selection.js';
import { addStyle } from './style.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./programs.js').Program} Program */

/**
 * @param {App} app
 * @param {string} address
 * @param {Program[]} programs
 * @param {(program: Program) => void} onMade the next try leaves it out
 */
async function make(app, address, programs, onMade) {
	const leave = fromHere();
	let n = 0;

	try {
		for (const program of programs) {
			await app.api.cmd('set-stream', { was: null,
				stream: streamOf(address, program) });
			n++;
			onMade(program);
		}
		app.say(t('made_streams', { n }));
		leave(href('streams', '', { filter: 'disabled' }));
	} catch (problem) {
		const { message } = /** @type {Error} */ (problem);

		app.say(`${n > 0 ? `${t('made_streams', { n })} ` : ''}${
			t('refused', { error: message })}`, true);
	}
}

/** @param {{app: App, address: string}} props */
function Programs({ app, address }) {
	const [source] = useState(() =>
		sourceOf(app.store.streams.values(), address));
	const { sections, error } = useScan(app, source);
	const [chosen, setChosen] = useState(/** @type {Set<string>} */ (
		new Set()));
	const programs = programsOf(sections.values());
	const wanted = programs.filter(({ pnr }) => chosen.has(String(pnr)));
	const { send, busy } = useOnce(make);

	return html`${error !== '' && html`<p class="problem" role="status">
			<${Foreign} text=${error} /></p>`}
		${programs.length === 0 ? html`<p class="dim">${t('psi_waits')}</p>`
			: html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col" class="check">
				<span class="hidden">${t('selected')}</span></th>
			<th scope="col" class="number">PNR</th>
			<th scope="col">${t('name')}</th>
			<th scope="col">${t('provider')}</th>
			<th scope="col">${t('kind')}</th>
			<th scope="col">${t('scrambled')}</th></tr></thead>
		<tbody>${programs.map((one) => html`<tr key=${one.pnr}>
			<td class="check"><input type="checkbox"
				checked=${chosen.has(String(one.pnr))}
				aria-label=${t('select_row', { name: `${one.pnr}` })}
				onClick=${() => setChosen(toggled(chosen,
					String(one.pnr)))} /></td>
			<td class="number">${one.pnr}</td>
			<td><b><${Foreign} text=${one.name} /></b>
				<${NameError} error=${one.nameError} /></td>
			<td><${Foreign} text=${one.provider} /></td>
			<td><${Foreign} text=${one.streams.join(', ')} /></td>
			<td>${one.scrambled ? t('yes') : ''}</td></tr>`)}
		</tbody></table></div>
		<${Curl} app=${app} request=${{ cmd: 'scan-init',
			scan: source }} />
		<div class="buttons"><button onClick=${() => setChosen(new Set(
				programs.map(({ pnr }) => String(pnr))))}>
				${t('select_all')}</button>
			<button class="primary"
				disabled=${busy || wanted.length === 0}
				onClick=${() => send(app, address, wanted, ({ pnr }) =>
					setChosen((was) => new Set([...was].filter((one) =>
						one !== String(pnr)))))}>
				${t('make_streams', { n: count(wanted.length) })}</button>
			<span class="dim">${t('make_streams_help')}</span></div>`}`;
}

/** @param {{app: App}} props */
export function Scan({ app }) {
	addStyle('network.css');
	const address = app.route.query.get('address') ?? '';
	const submit = (/** @type {any} */ event) => {
		event.preventDefault();
		replaceQuery('scan', '', { address:
			event.target.elements.address.value.trim() });
	};

	useEffect(() => {
		document.title = `${t('scan')} · Sluice`;
	});
	return html`<div class="page"><div class="tools">
			<h1>${t('scan')}</h1></div>
		<form class="scan" onSubmit=${submit}><label>${t('address')}
			<input name="address" class="mono" required
				spellcheck=${false} autocomplete="off" value=${address}
				placeholder="udp://239.1.1.1:1234" /></label>
			<button class="primary">${t('scan_go')}</button></form>
		${address !== '' && html`<${Programs} key=${address} app=${app}
			address=${address} />`}
	</div>`;
}
