/** Searches the entries of the command palette. Pure. */
import fuzzysort from 'fuzzysort';
import type { PaletteEntry } from './palette-entries.ts';

export interface PaletteGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

/** Maximum number of results. */
const SHOWN = 40;
const MAX_RECENT = 8;

/** Without text, the recent entries, the latest first, then pages and commands. */
export function searchPalette(
  entries: readonly PaletteEntry[],
  text: string,
  recent: readonly string[],
): readonly PaletteGroup[] {
  const typed = text.trim();
  if (typed !== '') {
    const found = fuzzysort.go(typed, withNamedTabs(entries, typed), {
      keys: ['label', (entry) => `${entry.label} ${entry.kind} ${entry.detail ?? ''}`],
      limit: SHOWN,
      threshold: 0.3,
      scoreFn: (result) =>
        Math.max(result[0]?.score ?? 0, (result[1]?.score ?? 0) * 0.9) * weightOf(result.obj, recent),
    });
    return found.length === 0 ? [] : [{ title: 'Results', entries: found.map(({ obj }) => obj) }];
  }
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const latest = recent.map((id) => known.get(id)).filter((entry) => entry !== undefined);
  const others = entries.filter(({ id, kind }) => (kind === 'Page' || kind === 'Command') && !recent.includes(id));
  return [
    { title: 'Recent', entries: latest },
    { title: 'Commands', entries: others.filter(({ kind }) => kind === 'Command') },
    { title: 'Pages', entries: others.filter(({ kind }) => kind === 'Page') },
  ].filter((group) => group.entries.length > 0);
}

/** Of equal matches, recent entries are first. */
function weightOf({ id }: PaletteEntry, recent: readonly string[]): number {
  return recent.includes(id) ? 1.1 : 1;
}

/** Omits the tabs of tables, unless a word of the text begins the name of the tab. */
function withNamedTabs(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
  return entries.filter(({ tab }) => tab === undefined || words.some((word) => tab.startsWith(word)));
}

/** Returns the recent entries after one was opened. */
export function withRecent(recent: readonly string[], id: string): readonly string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, MAX_RECENT);
}
