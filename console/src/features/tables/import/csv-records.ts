/** Reads CSV in parts, with the line of each record. A quoted empty field is distinguished from an empty one. */
import { Parser, parse } from 'papaparse';
import { type CsvFormat, emptyField, FileProblem, type FileRecord } from './file-records.ts';

/** Characters that are parsed together. */
const PART = 1024 * 1024;
/** Characters of the longest record. A quote that is not closed makes the rest of the file one field. */
const LONGEST = 16 * PART;
/** In place of a quoted empty field. It is no character of text. */
const QUOTED_EMPTY = '\uFFFF';

/** Returns the format that the sample suggests. */
export function detectCsv(sample: string): CsvFormat {
  const { meta, data } = parse<string[]>(sample, { preview: 20, skipEmptyLines: true });
  const [first = []] = data;
  const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));
  const hasHeader =
    first.every((name) => name.trim() !== '' && !isNumber(name)) && new Set(first).size === first.length;
  return { kind: 'csv', delimiter: meta.delimiter === '' ? ',' : meta.delimiter, quote: '"', hasHeader };
}

/** Yields the records after the header. Throws FileProblem. */
export async function* csvRecords(
  parts: AsyncIterable<string>,
  format: CsvFormat,
): AsyncGenerator<readonly FileRecord[], undefined, undefined> {
  let rest = '';
  let names: readonly string[] | undefined;
  let newline: Newline | undefined;
  let line = 1;
  const read = (text: string, isLast: boolean): readonly FileRecord[] => {
    newline ??= newlineOf(text);
    const config = { delimiter: format.delimiter, quoteChar: format.quote, newline };
    const marked = withMarkedEmpties(text, format, newline, isLast);
    const parsed: Parsed = new Parser(config).parse(marked, 0, !isLast);
    rest = isLast ? '' : marked.slice(parsed.meta.cursor);
    if (rest.length > LONGEST) {
      throw new FileProblem(`The record at line ${line} has more than 16 MB. A quote in it may not be closed.`);
    }
    const problems = new Map(parsed.errors.map(({ row, message }) => [row, message]));
    const records: FileRecord[] = [];
    for (const [index, fields] of parsed.data.entries()) {
      const start = line;
      line += 1 + fields.reduce((sum, field) => sum + breaksIn(field), 0);
      const isBlank = fields.length === 1 && fields[0] === '';
      if (isBlank) continue;
      if (names === undefined) {
        names = format.hasHeader ? uniqueNames(fields.map(plainField)) : numberedNames(fields.length);
        if (format.hasHeader) continue;
      }
      records.push(recordOf(start, fields, names, problems.get(index)));
    }
    return records;
  };
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < PART) continue;
    const whole = rest + text;
    text = '';
    yield read(whole, false);
  }
  yield read(rest + text, true);
}

interface Parsed {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly { readonly row?: number; readonly message: string }[];
  readonly meta: { readonly cursor: number };
}

function recordOf(
  line: number,
  fields: readonly string[],
  names: readonly string[],
  quotes: string | undefined,
): FileRecord {
  const values = Object.fromEntries(names.map((name, place) => [name, fieldValue(fields[place])]));
  if (quotes !== undefined) return { line, values, problem: `A quote is misplaced: ${quotes.toLowerCase()}.` };
  if (fields.length === names.length) return { line, values };
  return { line, values, problem: `Has ${fields.length} fields instead of ${names.length}.` };
}

function fieldValue(field: string | undefined): unknown {
  if (field === undefined || field === '') return emptyField;
  return plainField(field);
}

/** Returns the text of a field. The mark inside of a field was a pair of quotes, which is one quote. */
function plainField(field: string): string {
  if (!field.includes(QUOTED_EMPTY)) return field;
  return field === QUOTED_EMPTY ? '' : field.replaceAll(QUOTED_EMPTY, '"');
}

/** Replaces the quotes of quoted empty fields by a mark. Inside of a field the mark replaces what is one quote. */
function withMarkedEmpties(text: string, { delimiter, quote }: CsvFormat, newline: string, isLast: boolean): string {
  const empty = quote + quote;
  if (quote === '' || !text.includes(empty)) return text;
  const [first, last] = [escaped(delimiter), escaped(newline)];
  const end = isLast ? `${first}|${last}|$` : `${first}|${last}`;
  return text.replace(new RegExp(`(^|${first}|${last})${escaped(empty)}(?=${end})`, 'g'), `$1${QUOTED_EMPTY}`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

type Newline = '\r\n' | '\n' | '\r';

function newlineOf(text: string): Newline {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === '\r\n' || found === '\r' ? found : '\n';
}

function breaksIn(field: string): number {
  return field.includes('\n') || field.includes('\r') ? (field.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;
}

function uniqueNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name, place) => {
    const base = name.trim() === '' ? `Column ${place + 1}` : name.trim();
    let unique = base;
    for (let count = 2; used.has(unique); count += 1) unique = `${base} (${count})`;
    used.add(unique);
    return unique;
  });
}

function numberedNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, place) => `Column ${place + 1}`);
}
