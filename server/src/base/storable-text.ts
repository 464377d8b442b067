/** Converts external text and bytes to a form that PostgreSQL can store as text, json and jsonb. */
import { isUtf8 } from 'node:buffer';

const odd = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns `text` with NUL and unpaired surrogates escaped as `\x00` and `\ud800`. */
export function storableText(text: string): string {
  return text.replace(odd, (character) =>
    character === '\0' ? '\\x00' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether the value can be stored without escapes. */
export function isStorable(value: unknown): boolean {
  return storableJson(value) === (JSON.stringify(value) ?? 'null');
}

/** Returns JSON text in which every string and member name is storable. */
export function storableJson(value: unknown): string {
  return storableJsonText(JSON.stringify(value) ?? 'null');
}

/** Returns the JSON text with every string and member name storable. Strings have the escapes of JSON.stringify. */
export function storableJsonText(text: string): string {
  if (!text.includes('\\u')) return text;
  // As JSON.stringify escapes them; behind an even number of backslashes.
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})/g, (_match, before: string, code: string) =>
    code === '0000' ? `${before}\\\\x00` : `${before}\\\\u${code}`,
  );
}

export interface StorableBytes {
  readonly text: string;
  /** Whether the text has escapes: `\\` for a backslash, `\xff` for a byte. */
  readonly escaped: boolean;
}

/**
 * Returns UTF-8 without NUL as it is. In other bytes escapes NUL, backslashes and what is not UTF-8. `cut`: the bytes are
 * truncated, so an incomplete character at the end is dropped.
 */
export function storableBytes(bytes: Buffer, cut = false): StorableBytes {
  const whole = cut ? withoutPart(bytes) : bytes;
  if (isUtf8(whole) && !whole.includes(0)) return { text: whole.toString('utf8'), escaped: false };
  let text = '';
  for (let index = 0; index < whole.length; ) {
    const length = lengthAt(whole, index);
    const character = whole.subarray(index, index + Math.max(length, 1));
    if (length === 0 || character[0] === 0) text += `\\x${(character[0] ?? 0).toString(16).padStart(2, '0')}`;
    else text += character[0] === 0x5c ? '\\\\' : character.toString('utf8');
    index += character.length;
  }
  return { text, escaped: true };
}

/** Returns the length of the UTF-8 character at `index`; 0 where there is none. */
function lengthAt(bytes: Buffer, index: number): number {
  const length = announced(bytes[index] ?? 0);
  const character = bytes.subarray(index, index + length);
  return character.length === length && isUtf8(character) ? length : 0;
}

/** Returns the length that the first byte of a character announces. */
function announced(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

function withoutPart(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return announced(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
