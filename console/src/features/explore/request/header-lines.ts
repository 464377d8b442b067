/** Headers written as lines `Name: value`. Pure. */
import type { Headers } from '../../../shared/graphql/graphql-api.ts';
import type { Mark } from '../../../ui/editor/editor-props.ts';

export interface WrittenHeader {
  /** As written. */
  readonly name: string;
  readonly value: string;
  /** Offsets of the name in the text. */
  readonly from: number;
  readonly to: number;
}

export interface HeaderLines {
  readonly headers: readonly WrittenHeader[];
  /** Errors and warnings of single lines. */
  readonly marks: readonly Mark[];
}

/** Parses headers. Lines that begin with `#` are comments. */
export function headerLines(text: string): HeaderLines {
  const headers: WrittenHeader[] = [];
  const marks: Mark[] = [];
  const names = new Set<string>();
  let offset = 0;
  for (const line of text.split('\n')) {
    const from = offset + (line.length - line.trimStart().length);
    const end = offset + line.trimEnd().length;
    offset += line.length + 1;
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    const value = line.slice(colon + 1).trim();
    const problem = problemOf(name, value, names);
    if (problem === undefined) {
      names.add(name.toLowerCase());
      headers.push({ name, value, from, to: from + name.length });
    } else marks.push({ from, to: Math.max(end, from + 1), message: problem, severity: 'error' });
  }
  return { headers, marks };
}

function problemOf(name: string, value: string, names: ReadonlySet<string>): string | undefined {
  if (name === '') return 'A header is a name, a colon and a value, such as `Authorization: Bearer <token>`';
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return `\`${name}\` is not the name of a header`;
  if (names.has(name.toLowerCase())) return `\`${name}\` is written twice`;
  if (isForbidden(name.toLowerCase())) return `Browsers do not send \`${name}\` for a page`;
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    return `The value of \`${name}\` has characters that a header cannot contain`;
  return undefined;
}

/** Names that `fetch` drops without an error. */
const forbidden = new Set(
  `accept-charset accept-encoding access-control-request-headers access-control-request-method connection content-length
  cookie cookie2 date dnt expect host keep-alive origin referer set-cookie te trailer transfer-encoding upgrade via`.split(
    /\s+/,
  ),
);

function isForbidden(name: string): boolean {
  return forbidden.has(name) || name.startsWith('proxy-') || name.startsWith('sec-');
}

interface Beside {
  /** In lower case, such as `x-service-`. */
  readonly prefix: string;
  /** Headers of the role and of session variables. */
  readonly session: Headers;
  readonly sendsSecret: boolean;
}

/** Warns where a header has another effect than expected beside the role, the session variables and the secret. */
export function headerWarnings(
  headers: readonly WrittenHeader[],
  { prefix, session, sendsSecret }: Beside,
): readonly Mark[] {
  return headers.flatMap(({ name, value, from, to }): readonly Mark[] => {
    const mark = (message: string): readonly Mark[] => [{ from, to, message, severity: 'warning' }];
    const lower = name.toLowerCase();
    if (lower === `${prefix}admin-secret` && sendsSecret) return mark('Replaces the admin secret of the sign-in');
    if (lower === 'authorization' && sendsSecret) {
      return mark(
        'The service authenticates by the admin secret, not by this header, and passes it to handlers only. Clear "Send the admin secret" to authenticate by it',
      );
    }
    const other = session[lower];
    if (other !== undefined && other !== value)
      return mark(`Replaces \`${other}\` of the role or the session variables`);
    return [];
  });
}
