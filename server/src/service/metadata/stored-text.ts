/** The text in which metadata is stored, made once for each metadata. */
import { exportMetadata } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import { printJson } from '../../base/json-value.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';

const known = new WeakMap<Metadata, string>();

/** Between the steps of its work other requests are handled. */
export async function storedText(metadata: Metadata): Promise<string> {
  const text = known.get(metadata) ?? (await runInSlices(textSteps(metadata)));
  known.set(metadata, text);
  return text;
}

function* textSteps(metadata: Metadata): Steps<string> {
  const written = exportMetadata(metadata);
  yield;
  return yield* printSteps(written);
}

/** Objects within so many others are printed at once. */
const DEEPEST_SPLIT = 6;

/** As `printJson`. */
function* printSteps(value: unknown, depth = 0): Steps<string> {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (depth > DEEPEST_SPLIT || !(isPlain || Array.isArray(value))) {
    yield;
    return printJson(value);
  }
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* printSteps(item, depth + 1));
    return `[${parts.join(',')}]`;
  }
  for (const [name, member] of Object.entries(value as object)) {
    if (member !== undefined) parts.push(`${printJson(name)}:${yield* printSteps(member, depth + 1)}`);
  }
  return `{${parts.join(',')}}`;
}
