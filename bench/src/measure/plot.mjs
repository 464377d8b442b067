// A line plot as SVG text, without a library.

const width = 900;
const height = 460;
const frame = { left: 80, right: 230, top: 50, bottom: 60 };
const colors = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#57606a'];

/**
 * `series` is a list of `{ name, points: [x, y][] }`. With `log` the vertical axis is logarithmic, and values below a tenth
 * are drawn at a tenth.
 */
export function linePlot({ title, x, y, log = false, series }) {
  const all = series.flatMap(({ points }) => points);
  const most = { x: Math.max(...all.map(([at]) => at), 1), y: Math.max(...all.map(([, value]) => value), 1) };
  const scale = log ? (value) => Math.log10(Math.max(value, 0.1)) : (value) => value;
  const [bottom, top] = log ? [-1, Math.ceil(Math.log10(most.y))] : [0, most.y * 1.05];
  const across = (at) => frame.left + (at / most.x) * (width - frame.left - frame.right);
  const up = (value) =>
    height - frame.bottom - ((scale(value) - bottom) / (top - bottom)) * (height - frame.top - frame.bottom);
  const ticks = log ? Array.from({ length: top + 2 }, (_, n) => 10 ** (n - 1)) : round(most.y);
  const right = width - frame.right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    label(frame.left, 26, title, 'start', ' font-size="16" font-weight="bold"'),
    ...ticks.flatMap((tick) => [
      `<path d="M${frame.left} ${up(tick)}H${right}" stroke="#d0d7de"/>`,
      label(frame.left - 8, up(tick) + 4, tick.toLocaleString('en'), 'end'),
    ]),
    ...round(most.x).map((tick) =>
      label(across(tick), height - frame.bottom + 20, tick.toLocaleString('en'), 'middle'),
    ),
    label((frame.left + right) / 2, height - 16, x, 'middle'),
    label(frame.left - 60, frame.top - 10, y, 'start'),
    ...series.flatMap(({ name, points }, index) => {
      const color = colors[index % colors.length];
      const line = points.map(([at, value]) => `${across(at).toFixed(1)},${up(value).toFixed(1)}`).join(' ');
      return [
        `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="1.6"/>`,
        `<path d="M${right + 14} ${frame.top + 22 * index}h22" stroke="${color}" stroke-width="3"/>`,
        label(right + 42, frame.top + 22 * index + 4, name, 'start'),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}

/**
 * A plot of horizontal bars. `bars` is a list of `{ name, value, least, most, accent }`; a line marks `line`, if given, with its
 * `name`.
 */
export function barPlot({ title, x, bars, line }) {
  const rowHeight = 34;
  const left = 240;
  const bottom = 56 + bars.length * rowHeight;
  const largest = Math.max(...bars.map(({ value, most = value }) => Math.max(value, most)), line?.value ?? 0) * 1.08;
  const across = (value) => left + (value / largest) * (width - left - 70);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 44}" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${bottom + 44}" fill="#fff"/>`,
    label(20, 28, title, 'start', ' font-size="16" font-weight="bold"'),
    ...round(largest).flatMap((tick) => [
      `<path d="M${across(tick).toFixed(1)} 48V${bottom}" stroke="#d0d7de"/>`,
      label(across(tick), bottom + 18, tick.toLocaleString('en'), 'middle'),
    ]),
    label((left + width - 70) / 2, bottom + 38, x, 'middle'),
    ...bars.flatMap(({ name, value, least = value, most = value, accent }, index) => {
      const top = 54 + index * rowHeight;
      const middle = top + 12;
      return [
        label(left - 10, middle + 4, name, 'end'),
        `<rect x="${left}" y="${top}" width="${(across(value) - left).toFixed(1)}" height="24" fill="${accent ? colors[0] : colors[5]}"/>`,
        `<path d="M${across(least).toFixed(1)} ${middle}H${across(most).toFixed(1)}" stroke="#1f2328" stroke-width="1.5"/>`,
        label(across(Math.max(value, most)) + 8, middle + 4, value.toLocaleString('en'), 'start'),
      ];
    }),
    ...(line === undefined
      ? []
      : [
          `<path d="M${across(line.value).toFixed(1)} 44V${bottom}" stroke="${colors[1]}" stroke-dasharray="5 4"/>`,
          label(across(line.value), 42, line.name, 'middle', ` fill="${colors[1]}"`),
        ]),
    '</svg>\n',
  ].join('\n');
}

/** Returns about five round numbers from 0 to `most`. */
function round(most) {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step);
}

function label(x, y, text, anchor, more = '') {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${more}>${escaped(text)}</text>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
