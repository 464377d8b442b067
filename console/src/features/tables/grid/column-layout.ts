/** The arrangement of the columns of a grid, as stored in the browser for each table. Pure. */

export interface ColumnLayout {
  /** Columns in their order. Columns that it does not list are last. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Pixels. */
  readonly widths: Readonly<Record<string, number>>;
}

export const emptyLayout: ColumnLayout = { order: [], hidden: [], widths: {} };
const MIN_WIDTH = 60;
const MAX_WIDTH = 900;

/** Parses a stored layout. Returns the empty one for anything else. */
export function parseLayout(text: string | null): ColumnLayout {
  if (text === null) return emptyLayout;
  try {
    const { order, hidden, widths } = JSON.parse(text) as Partial<Record<keyof ColumnLayout, unknown>>;
    return { order: namesIn(order), hidden: namesIn(hidden), widths: widthsIn(widths) };
  } catch {
    return emptyLayout;
  }
}

function namesIn(read: unknown): readonly string[] {
  return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : [];
}

function widthsIn(read: unknown): ColumnLayout['widths'] {
  if (typeof read !== 'object' || read === null) return {};
  const entries = Object.entries(read).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return Object.fromEntries(entries.map(([name, width]) => [name, limitedWidth(width)]));
}

/** Returns all columns in order: pinned ones first. */
export function arranged(
  columns: readonly string[],
  pinned: readonly string[],
  { order }: Pick<ColumnLayout, 'order'>,
): readonly string[] {
  const listed = order.filter((name) => columns.includes(name));
  const all = [...listed, ...columns.filter((name) => !listed.includes(name))];
  return [...all.filter((name) => pinned.includes(name)), ...all.filter((name) => !pinned.includes(name))];
}

/** Moves a column before another one. */
export function movedBefore(names: readonly string[], name: string, other: string): readonly string[] {
  if (name === other) return names;
  const rest = names.filter((one) => one !== name);
  const place = rest.indexOf(other);
  // A column that was before the other one takes its place, so that a move to the right has an effect.
  const at = names.indexOf(name) < names.indexOf(other) ? place + 1 : place;
  return [...rest.slice(0, at), name, ...rest.slice(at)];
}

/** Moves a column by one place among the visible ones. */
export function movedBy(
  names: readonly string[],
  name: string,
  step: 1 | -1,
  hidden: readonly string[],
): readonly string[] {
  const visible = names.filter((one) => one === name || !hidden.includes(one));
  const other = visible[visible.indexOf(name) + step];
  return other === undefined ? names : movedBefore(names, name, other);
}

export function limitedWidth(width: number): number {
  return Math.round(Math.min(Math.max(MIN_WIDTH, width), MAX_WIDTH));
}
