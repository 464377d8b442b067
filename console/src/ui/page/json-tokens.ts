/** Splits formatted JSON into tokens for coloring. Pure. */

export interface Token {
  readonly kind: 'key' | 'string' | 'literal' | 'plain';
  readonly text: string;
}

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The tokens joined are the input. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  const plain = (until: number) => {
    if (until > end) tokens.push({ kind: 'plain', text: text.slice(end, until) });
  };
  for (const match of text.matchAll(token)) {
    plain(match.index);
    const [whole, quoted, colon] = match;
    const kind = quoted === undefined ? 'literal' : colon === undefined ? 'string' : 'key';
    const own = kind === 'key' ? (quoted ?? whole) : whole;
    tokens.push({ kind, text: own });
    end = match.index + own.length;
  }
  plain(text.length);
  return tokens;
}
