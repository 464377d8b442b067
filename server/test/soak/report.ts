/** The report of a soak: a table of trends as text, and the curves as an HTML page. */
import type { Point, Trend } from './trend.ts';

export interface Mark {
  readonly seconds: number;
  readonly what: string;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  readonly trend: Trend;
}

const WIDTH = 640;
const HEIGHT = 160;

export function trendTable(series: readonly Series[]): string {
  const rows = series.map(({ name, trend }) => [
    name,
    number(trend.middle),
    number(trend.end),
    trend.isFlat ? 'flat' : 'GROWS',
  ]);
  return [['series', 'second quarter', 'last quarter', ''], ...rows]
    .map(([name = '', middle = '', end = '', judgment = '']) =>
      `${name.padEnd(62)} ${middle.padStart(15)} ${end.padStart(13)}  ${judgment}`.trimEnd(),
    )
    .join('\n');
}

/** Returns a page with a curve for each series; vertical lines are deployments and failovers. */
export function plotPage(summary: string, series: readonly Series[], marks: readonly Mark[]): string {
  const plots = series.map((one) => `<h2>${escapeHtml(one.name)}</h2>\n${plot(one, marks)}`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Soak</title>
<style>
body { font: 14px system-ui, sans-serif; max-width: 720px; margin: 2rem auto; }
h2 { font-size: 1em; margin: 1.5em 0 0.3em; }
svg { width: 100%; background: #f6f6f7; }
polyline { fill: none; stroke: #0b5cad; }
.failover { stroke: #b00; }
.deployment { stroke: #999; }
text { font-size: 11px; }
</style>
<h1>Soak</h1>
<pre>${escapeHtml(summary)}</pre>
${plots.join('\n')}
</html>
`;
}

function plot({ points }: Series, marks: readonly Mark[]): string {
  const seconds = Math.max(1, points.at(-1)?.seconds ?? 1);
  const most = Math.max(...points.map(({ value }) => value), 1e-9);
  const x = (at: number): string => ((at / seconds) * WIDTH).toFixed(1);
  const y = (value: number): string => (HEIGHT - (value / most) * (HEIGHT - 20)).toFixed(1);
  const line = points.map((point) => `${x(point.seconds)},${y(point.value)}`).join(' ');
  const lines = marks.map(
    (mark) => `<line class="${mark.what}" x1="${x(mark.seconds)}" x2="${x(mark.seconds)}" y1="0" y2="${HEIGHT}"/>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}">${lines.join('')}<polyline points="${line}"/><text x="4" y="12">${number(most)}</text><text x="${WIDTH - 60}" y="12">${Math.round(seconds / 60)} min</text></svg>`;
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
