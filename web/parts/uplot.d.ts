// SPDX-License-Identifier: GPL-3.0-or-later
import uPlot from 'uplot';
export default uPlot;
