// SPDX-License-Identifier: GPL-3.0-or-later
// A list whose items move: by dragging, or by buttons.

import { useRef } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { html } from './view.js';

/**
 * What the handle and the place of each item need.
 * @param {(from: number, to: number) => void} onMove
 */
export function useDrag(onMove) {
	const from = useRef(-1);

	return (/** @type {number} */ i) => ({
		handle: {
			draggable: true,
			onDragStart: (/** @type {DragEvent} */ event) => {
				from.current = i;
				event.dataTransfer?.setData('text/plain', String(i));
			},
			onDragEnd: () => { from.current = -1; },
		},
		place: {
			onDragOver: (/** @type {DragEvent} */ event) => {
				if (from.current >= 0)
					event.preventDefault();
			},
			onDrop: (/** @type {DragEvent} */ event) => {
				const at = from.current;

				event.preventDefault();
				from.current = -1;
				if (at >= 0 && at !== i)
					onMove(at, i);
			},
		},
	});
}

/**
 * @param {{name: string, place: number, count: number,
 *	onMove: (from: number, to: number) => void}} props
 */
export function MoveButtons({ name, place, count, onMove }) {
	return html`<button type="button" disabled=${place === 0}
		onClick=${() => onMove(place, place - 1)}
		aria-label=${`${t('move_up')}: ${name}`}
		title=${t('move_up')}>↑</button>
		<button type="button" disabled=${place === count - 1}
		onClick=${() => onMove(place, place + 1)}
		aria-label=${`${t('move_down')}: ${name}`}
		title=${t('move_down')}>↓</button>`;
}
