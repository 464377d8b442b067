/** Small changes of wording. Pure. */

/** With a capital letter at the start and a full stop at the end. */
export function sentence(message: string): string {
  const trimmed = message.trim();
  const ended = /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** `1 call`, `2 calls`, `1,204 calls`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first part of a uuid, enough to tell events apart on a page. */
export function shortId(id: string): string {
  return id.split('-')[0] ?? id;
}
