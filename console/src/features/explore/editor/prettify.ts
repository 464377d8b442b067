/** Formats operations. Pure. */
import { parse, print, TokenKind } from 'graphql';

/** Undefined for a syntax error, and for comments, which would be lost. */
export function prettyOperation(query: string): string | undefined {
  try {
    const document = parse(query);
    for (let token = document.loc?.startToken; token != null; token = token.next ?? undefined) {
      if (token.kind === TokenKind.COMMENT) return undefined;
    }
    return `${print(document)}\n`;
  } catch {
    return undefined;
  }
}
