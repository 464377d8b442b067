/** The SQL of native queries: text, and arguments in double braces. */
import { quotedParts, statementsOf } from '@joinery/metadata/sql/statements';

/** Text of the SQL, or the value of an argument. */
export type CodePart = string | { readonly argument: string };

/** An argument; `{{1,2}}` in quotes is a value of an array type. */
const argumentIn = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/;

/** A parameter such as `$1`, whose number would be that of another value of the statement. */
const parameter = /(?<![\w$])\$\d/;

/** Splits the SQL of a native query without its last semicolon; returns the reason if it is invalid. */
export function parseCode(code: string): readonly CodePart[] | string {
  const text = code.replace(/[\s;]+$/, '');
  let plain = '';
  for (const { kind, start, end } of quotedParts(text)) {
    const quoted = text.slice(start, end);
    plain += text.slice(plain.length, start) + quoted.replaceAll(/[^\n]/g, ' ');
    // In a string constant or a quoted identifier, an argument would be text.
    const inside = kind === 'quote' ? argumentIn.exec(quoted) : null;
    if (inside === null) continue;
    const [braces, name] = inside;
    const instead = `concatenate it instead: '%' || {{${name}}} || '%'`;
    const reason = `the argument "${name}" is inside of quotes, where it would be text; ${instead}`;
    return at(text, start + quoted.indexOf(braces), reason);
  }
  plain += text.slice(plain.length);
  if (plain.trim() === '') return 'the SQL is empty';
  const bare = parameter.exec(plain);
  if (bare !== null) return at(text, bare.index, 'the SQL has a numbered parameter; use {{name}} for an argument');
  const parts: CodePart[] = [];
  let from = 0;
  for (let open = plain.indexOf('{{'); open >= 0; open = plain.indexOf('{{', from)) {
    const close = plain.indexOf('}}', open);
    if (close === -1) return at(text, open, '"{{" is not closed by "}}"');
    const name = text.slice(open + 2, close).trim();
    if (name === '') return at(text, open, 'there is no name of an argument between "{{" and "}}"');
    if (open > from) parts.push(text.slice(from, open));
    parts.push({ argument: name });
    from = close + 2;
  }
  if (from < text.length) parts.push(text.slice(from));
  if (statementsOf(text).length > 1) return 'the SQL has several statements; it must be one query';
  return parts;
}

function at(text: string, index: number, reason: string): string {
  return `line ${text.slice(0, index).split('\n').length}: ${reason}`;
}
