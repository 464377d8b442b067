/** Parses arguments by a schema; errors name the path and suggest a fix. */

import type { z } from 'zod';
import { jsonPath } from '../../json.ts';
import { type StrayMember, strayAndNullMembers, strayMembers, withoutMembers } from '../../schema/members.ts';
import { EditError } from './edit-error.ts';
import { nearestName } from './nearest-name.ts';

type Issue = z.core.$ZodIssue;
type Key = PropertyKey;

/** Work that yields between steps, so that the caller can run it in time slices. */
export type InSteps<Result> = Generator<undefined, Result, undefined>;

export function runToEnd<Result>(steps: InSteps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** What the members of the root are called in messages. */
export type Root = 'arguments' | 'metadata';

/** Parses `input`; null is the same as absence for optional members. Throws EditError `parse-failed` with the path of the first error. */
export function parseArguments<Output>(schema: z.ZodType<Output>, input: unknown, root: Root = 'arguments'): Output {
  return runToEnd(argumentsInSteps(schema, input, root));
}

/** As `parseArguments`, in steps. */
export function* argumentsInSteps<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  root: Root = 'arguments',
): InSteps<Output> {
  const members = strayAndNullMembers(schema, input);
  yield;
  const nulls = members.flatMap(({ kind, path }) => (kind === 'null' ? [path] : []));
  const written = withoutMembers(input, nulls);
  yield;
  const unknown = members.find(({ kind }) => kind === 'unknown');
  if (unknown === undefined) return parseStored(schema, written);
  // Otherwise a misspelled member would be reported as missing.
  if (nearestOf(unknown) === undefined) {
    try {
      parseStored(schema, written);
    } catch (error) {
      throw error instanceof EditError ? namingUnknown(error, unknown, root) : error;
    }
  }
  throw new EditError('parse-failed', describeUnknown(unknown, root), jsonPath(unknown.path));
}

/** Names the unknown member of the object in which another one is missing, since it is likely to be the missing one. */
function namingUnknown(error: EditError, member: StrayMember, root: Root): EditError {
  const object = jsonPath(member.path.slice(0, -1));
  const isOfObject = error.path === object || error.path.replace(/(?:\.\w+|\["[^"]*"\])$/, '') === object;
  if (!error.message.startsWith('missing argument') || !isOfObject) return error;
  return new EditError('parse-failed', `${nameOfUnknown(member, root)}; ${error.message}`, jsonPath(member.path));
}

/** As `parseArguments`, but keeps unknown members of closed objects, which stored metadata may have. */
export function parseStored<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const error = describe(parsed.error.issues, [], input);
  throw new EditError('parse-failed', error.message, jsonPath(error.path));
}

/** Throws EditError `parse-failed` at the first member that `schema` does not know. */
export function rejectUnknown(schema: z.ZodType, input: unknown, root: Root): void {
  const [unknown] = unknownMembers(schema, input);
  if (unknown === undefined) return;
  throw new EditError('parse-failed', describeUnknown(unknown, root), jsonPath(unknown.path));
}

/** Returns every validation error of `input` with its path. */
export function validationErrors<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  root: Root = 'arguments',
): readonly { readonly path: string; readonly message: string }[] {
  const unknown = unknownMembers(schema, input).map((one) => ({
    path: jsonPath(one.path),
    message: describeUnknown(one, root),
  }));
  const nulls = strayAndNullMembers(schema, input).filter(({ kind }) => kind === 'null');
  const written = withoutMembers(
    input,
    nulls.map(({ path }) => path),
  );
  const parsed = schema.safeParse(written);
  if (parsed.success) return unknown;
  const shapes = parsed.error.issues.map((issue) => {
    const { path, message } = describe([issue], [], input);
    return { path: jsonPath(path), message };
  });
  const seen = new Set(unknown.map(({ path }) => path));
  return [...unknown, ...shapes.filter(({ path }) => !seen.has(path))];
}

function unknownMembers(schema: z.ZodType, input: unknown): readonly StrayMember[] {
  return strayMembers(schema, input).filter(({ kind }) => kind === 'unknown');
}

function nearestOf({ path, known }: StrayMember): string | undefined {
  return nearestName(String(path.at(-1)), known);
}

function describeUnknown(member: StrayMember, root: Root): string {
  const near = nearestOf(member);
  return `${nameOfUnknown(member, root)}; ${near === undefined ? 'remove it' : `did you mean "${near}"?`}`;
}

function nameOfUnknown({ path }: StrayMember, root: Root): string {
  const isArgument = path.length === 1 && root === 'arguments';
  const place = path.length === 1 && root === 'metadata' ? ' of the metadata' : '';
  return `unknown ${isArgument ? 'argument' : 'member'} "${String(path.at(-1))}"${place}`;
}

interface ValidationError {
  readonly path: readonly Key[];
  readonly message: string;
}

/** Describes the first issue. */
function describe(issues: readonly Issue[], base: readonly Key[], input: unknown): ValidationError {
  const [issue] = issues;
  if (issue === undefined) return { path: base, message: 'does not have the expected shape' };
  const path = [...base, ...issue.path];
  const found = valueAt(input, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...path, issue.keys[0] ?? ''], message: `unknown argument "${issue.keys[0]}"` };
    case 'invalid_union':
      if (found === undefined) return missing(path);
      return describeUnion(issue.errors, path, input);
    case 'invalid_key':
      return { path, message: `"${String(path.at(-1))}" ${lower(issue.issues[0]?.message)}` };
    case 'invalid_type':
      if (found === undefined) return missing(path);
      return { path, message: `must be ${article(issue.expected)}, not ${kindOf(found)}` };
    case 'invalid_value':
      if (found === undefined) return missing(path);
      return { path, message: `must be one of ${issue.values.map((one) => JSON.stringify(one)).join(', ')}` };
    case 'too_small':
      return { path, message: tooSmall(issue) };
    case 'too_big':
      return { path, message: tooBig(issue) };
    default:
      return { path, message: issue.message };
  }
}

/** Describes the best matching branch: the one whose first error is deepest, then the one with the fewest. */
function describeUnion(branches: readonly (readonly Issue[])[], path: readonly Key[], input: unknown): ValidationError {
  const deepest = Math.max(...branches.map(shallowest));
  const near = branches.filter((issues) => shallowest(issues) === deepest);
  const fewest = Math.min(...near.map((issues) => issues.length));
  const meant = near.filter((issues) => issues.length === fewest);
  const errors = meant.map((issues) =>
    describe(
      [...issues].sort((a, b) => depthOf(a) - depthOf(b)),
      path,
      input,
    ),
  );
  const [first] = errors;
  if (first === undefined) return { path, message: 'does not have the expected shape' };
  if (errors.length === 1) return first;
  const messages = [...new Set(errors.map((error) => error.message))];
  const same = errors.every((error) => jsonPath(error.path) === jsonPath(first.path));
  return { path: same ? first.path : path, message: messages.join('; or ') };
}

function shallowest(issues: readonly Issue[]): number {
  return Math.min(...issues.map(depthOf));
}

function depthOf(issue: Issue): number {
  if (issue.code === 'unrecognized_keys') return issue.path.length + 1;
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue.path.length;
  return issue.path.length + Math.max(...issue.errors.map(shallowest));
}

function missing(path: readonly Key[]): ValidationError {
  const last = path.at(-1);
  return {
    path,
    message: last === undefined ? 'the arguments are missing' : `missing argument "${String(last)}"`,
  };
}

function tooSmall(issue: Extract<Issue, { code: 'too_small' }>): string {
  if (issue.origin === 'array' && issue.minimum === 1) return 'must have at least one element';
  if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
  if (issue.origin === 'number' || issue.origin === 'int') return `must be at least ${issue.minimum}`;
  return issue.message;
}

function tooBig(issue: Extract<Issue, { code: 'too_big' }>): string {
  if (issue.origin === 'array') return `must have at most ${issue.maximum} elements`;
  if (issue.origin === 'string') return `must have at most ${issue.maximum} characters`;
  if (issue.origin === 'number' || issue.origin === 'int') return `must be at most ${issue.maximum}`;
  return issue.message;
}

function valueAt(input: unknown, path: readonly Key[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<Key, unknown>)[key];
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return article(Array.isArray(value) ? 'array' : typeof value);
}

function article(kind: string): string {
  const noun = kind === 'record' ? 'object' : kind === 'array' ? 'list' : kind === 'int' ? 'whole number' : kind;
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function lower(message: string | undefined): string {
  return message === undefined ? 'is not a valid name' : message.charAt(0).toLowerCase() + message.slice(1);
}
