/** Reads JSON: an array of objects, or an object on each line. Numbers keep all digits. */
import { isJsonObject } from '@joinery/metadata/json';
import { jsonProblem, parseExactly } from '../../../api/exact-json.ts';
import { FileProblem, type FileRecord } from './file-records.ts';

/** Records that are yielded together. */
const GROUP = 2_000;

/** Yields the records. An array is read as a whole. Throws FileProblem. */
export async function* jsonRecords(
  parts: AsyncIterable<string>,
): AsyncGenerator<readonly FileRecord[], undefined, undefined> {
  let text = '';
  let isArray: boolean | undefined;
  let line = 1;
  for await (const part of parts) {
    text += part;
    isArray ??= text.trim() === '' ? undefined : text.trimStart().startsWith('[');
    if (isArray !== false) continue;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield lines.flatMap((one) => recordOfLine(one, line++));
  }
  if (isArray === true) yield* recordsOfArray(text);
  else yield recordOfLine(text, line);
}

function recordOfLine(text: string, line: number): readonly FileRecord[] {
  if (text.trim() === '') return [];
  const problem = jsonProblem(text);
  if (problem !== undefined) return [{ line, values: {}, problem: `No JSON: ${problem}.` }];
  return [recordOf(parseExactly(text), line)];
}

function* recordsOfArray(text: string): Generator<readonly FileRecord[], undefined, undefined> {
  const problem = jsonProblem(text);
  if (problem !== undefined) throw new FileProblem(`The file is not JSON: ${problem}.`);
  const items = parseExactly(text) as readonly unknown[];
  for (let start = 0; start < items.length; start += GROUP) {
    yield items.slice(start, start + GROUP).map((item, index) => recordOf(item, start + index + 1));
  }
}

function recordOf(item: unknown, line: number): FileRecord {
  if (isJsonObject(item)) return { line, values: item };
  return { line, values: {}, problem: 'Must be an object of values by column.' };
}
