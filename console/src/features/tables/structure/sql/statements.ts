/** Parts of SQL that several forms write. Pure. */

/** Returns a text without spaces around it, unless it has them from before. */
export function typed(text: string, before: string): string {
  return text === before ? before : text.trim();
}

/** Joins statements, one on each line. */
export function statements(list: readonly string[]): string {
  return list.map((one) => `${one};`).join('\n');
}
