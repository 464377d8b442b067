/** Text formatting. Pure. */

/** Capitalizes a message and ends it with a period. */
export function sentence(message: string): string {
  const trimmed = message.trim();
  const ended = /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** Formats `1 call`, `2 calls`, `1,204 calls`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the first part of a UUID, which is enough to distinguish events on a page. */
export function shortId(id: string): string {
  return id.split('-')[0] ?? id;
}
