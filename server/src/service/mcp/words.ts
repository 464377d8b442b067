/** Splits a text into words, and names such as `order_items` and `orderItems` into their words as well. */
export function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  return words.flatMap((word) => {
    const parts = word.split(/_+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part !== '');
    return parts.length > 1 ? [word, ...parts] : parts;
  });
}
