/** The text in which metadata is stored, made once for each metadata. */
import { exportEntries, type WriteEntry } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import { printJson, RawJson } from '../../base/json-value.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';

const known = new WeakMap<Metadata, string>();

/** Between the steps of its work other requests are handled. */
export async function storedText(metadata: Metadata): Promise<string> {
  const text = known.get(metadata) ?? (await runInSlices(textSteps(metadata)));
  known.set(metadata, text);
  return text;
}

function* textSteps(metadata: Metadata): Steps<string> {
  const written = exportEntries(metadata, printOnce);
  yield;
  const parts: string[] = [];
  yield* printSteps(written, parts);
  return parts.join('');
}

/** The texts of tables and actions. An edit replaces only the objects that it changes. */
const entries = new WeakMap<object, RawJson>();

const printOnce: WriteEntry = (entry, write) => {
  const text = entries.get(entry) ?? new RawJson(printJson(write(entry)));
  entries.set(entry, text);
  return text;
};

/** Objects within so many others are printed at once. */
const DEEPEST_SPLIT = 6;

/** Adds the parts of the text that `printJson` returns. */
function* printSteps(value: unknown, parts: string[], depth = 0): Steps<void> {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (depth > DEEPEST_SPLIT || !(isPlain || Array.isArray(value))) {
    yield;
    parts.push(printJson(value));
    return;
  }
  let separator = '';
  if (Array.isArray(value)) {
    parts.push('[');
    for (const item of value) {
      parts.push(separator);
      yield* printSteps(item, parts, depth + 1);
      separator = ',';
    }
    parts.push(']');
    return;
  }
  parts.push('{');
  for (const [name, member] of Object.entries(value as object)) {
    if (member === undefined) continue;
    parts.push(`${separator}${printJson(name)}:`);
    yield* printSteps(member, parts, depth + 1);
    separator = ',';
  }
  parts.push('}');
}
