/** Strings in valid JSON text, which are skipped without decoding. */

const BACKSLASH = 92;

/** Returns the position after the string whose opening quote is at `open`. */
export function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}
