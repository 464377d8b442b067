/** Prints rows as Hasura v2 sends them: members in alphabetical order at every level, without white space. */
import { endOfString } from '../../base/json-string.ts';

/** JSON that is nested deeper is printed as it is. */
const DEEPEST = 500;

/**
 * Returns JSON text with sorted members. Numbers and strings stay as they are written, so that numbers keep their digits. Of members
 * with equal names the last is printed.
 *
 * @param quoted members of the outermost object whose numbers become strings
 */
export function sortedJson(text: string, quoted?: ReadonlySet<string>): string {
  const { isSorted, depth } = inspect(text);
  if (depth > DEEPEST || (isSorted && quoted === undefined)) return text;
  return printed({ text, at: 0 }, quoted);
}

/** Whether the text has no white space and sorted members, and how deep it is nested. Reads each character once. */
function inspect(text: string): { readonly isSorted: boolean; readonly depth: number } {
  /** The last name of each open object; undefined for a list. */
  const names: (string | undefined)[] = [];
  let depth = 0;
  let isSorted = true;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') {
      names.push(character === '{' ? '' : undefined);
      depth = Math.max(depth, names.length);
    } else if (character === '}' || character === ']') {
      names.pop();
    } else if (character === '"') {
      const end = endOfString(text, at);
      const last = names.at(-1);
      if (last !== undefined && text[end] === ':') {
        const name = text.slice(at, end);
        // An escaped name may sort differently from its text.
        if (name <= last || name.includes('\\')) isSorted = false;
        names[names.length - 1] = name;
      }
      at = end - 1;
    } else if (isSpace(character)) {
      isSorted = false;
    }
  }
  return { isSorted, depth };
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

/** Whether the character ends a number, `true`, `false` or `null`. */
function endsLiteral(character: string | undefined): boolean {
  return character === ',' || character === '}' || character === ']' || isSpace(character);
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Reads a value and returns its sorted text. */
function printed(reader: Reader, quoted?: ReadonlySet<string>): string {
  skipSpace(reader);
  const { text, at } = reader;
  switch (text[at]) {
    case '{':
      return printedObject(reader, quoted);
    case '[':
      return printedList(reader);
    case '"':
      reader.at = endOfString(text, at);
      break;
    default:
      while (reader.at < text.length && !endsLiteral(text[reader.at])) reader.at += 1;
  }
  return text.slice(at, reader.at);
}

function printedObject(reader: Reader, quoted: ReadonlySet<string> | undefined): string {
  const members = new Map<string, string>();
  for (const end = startOf(reader, '}'); !end(); ) {
    const key = printed(reader);
    skipSpace(reader);
    // The colon.
    reader.at += 1;
    const value = printed(reader);
    const name = key.includes('\\') ? String(JSON.parse(key)) : key.slice(1, -1);
    const isNumber = quoted?.has(name) === true && /^[-\d]/.test(value);
    members.set(name, `${key}:${isNumber ? `"${value}"` : value}`);
  }
  const sorted = [...members].sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([, member]) => member).join()}}`;
}

function printedList(reader: Reader): string {
  const elements: string[] = [];
  for (const end = startOf(reader, ']'); !end(); ) elements.push(printed(reader));
  return `[${elements.join()}]`;
}

/** Reads the bracket that opens. Returns a function that reads what is before the next element, and whether there is none. */
function startOf(reader: Reader, close: '}' | ']'): () => boolean {
  reader.at += 1;
  return () => {
    skipSpace(reader);
    const character = reader.text[reader.at];
    if (character === ',' || character === close) reader.at += 1;
    skipSpace(reader);
    return character === close || character === undefined;
  };
}

function skipSpace(reader: Reader): void {
  while (isSpace(reader.text[reader.at])) reader.at += 1;
}
