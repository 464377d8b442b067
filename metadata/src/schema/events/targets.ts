/** Targets of events other than webhooks: a saved operation, or a function of a source. */
import { z } from 'zod';
import { RoleName, SourceName } from '../../names.ts';
import { isStorable } from '../../sql/storable.ts';
import { QualifiedFunction } from '../functions.ts';
import { CollectionName } from '../stored-operations.ts';

/**
 * Inputs of the target. A string is one Kriti template whose result is an object. In an object, strings at any depth are templates: one
 * that is a single expression in `{{` and `}}` results in the value of the expression, any other one in a string.
 */
const TargetInputs = z.union([z.string().min(1), z.record(z.string(), z.unknown())]);
export type TargetInputs = z.infer<typeof TargetInputs>;

/** A saved operation that an event runs. */
export const OperationTarget = z.strictObject({
  /** The query collection. */
  collection: CollectionName,
  /** The name of the query in the collection. */
  name: z.string().min(1, 'must not be empty'),
  /** The role that runs the operation; `admin` is allowed. */
  role: RoleName,
  /** Values of the session variables, as Kriti templates of strings. */
  session_variables: z.record(z.string(), z.string()).nullish(),
  variables: TargetInputs.nullish(),
});
export type OperationTarget = z.infer<typeof OperationTarget>;

/** A function of a source that an event calls. */
export const FunctionTarget = z.strictObject({
  /** Default: `default`. */
  source: SourceName.nullish(),
  function: QualifiedFunction,
  /** The named arguments. */
  arguments: TargetInputs.nullish(),
});
export type FunctionTarget = z.infer<typeof FunctionTarget>;

/** The target of an event in place of a webhook: exactly one of the members. */
export const CallTarget = z
  .strictObject({ operation: OperationTarget.optional(), function: FunctionTarget.optional() })
  .refine(({ operation, function: called }) => (operation === undefined) !== (called === undefined), {
    message: 'needs either operation or function',
  })
  .refine(isStorable, { message: 'must not contain a NUL character or half of a surrogate pair' });
export type CallTarget = z.infer<typeof CallTarget>;

/** Members that describe the request to a webhook, and have no effect on a target. */
const requestMembers = ['headers', 'body', 'signing', 'request_transform', 'response_transform'] as const;

/** An event that may have a target. */
export interface Called {
  readonly target?: CallTarget | null | undefined;
  readonly webhook?: string | null | undefined;
}

/** Returns the violated rules of an event with these members. `webhooks`: the members that name a webhook. */
export function targetRules(event: Called, webhooks: readonly string[] = ['webhook']): readonly TargetRule[] {
  if (!isGiven(event.target)) return [];
  const given = (name: string): boolean => isGiven(Reflect.get(event, name));
  return [
    ...webhooks.filter(given).map((name) => ({ path: [name], message: 'is given beside target; give one of them' })),
    ...requestMembers
      .filter((name) => given(name) && !isEmptyList(Reflect.get(event, name)))
      .map((name) => ({
        path: [name],
        message: 'describes a request to a webhook and has no effect on a target; leave it out',
      })),
  ];
}

function isGiven<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Whether the name of a destination is that of a target. */
export function isTargetDestination(destination: string): boolean {
  return /^(?:operation|function):[^/?#]+$/.test(destination);
}

export interface TargetRule {
  readonly path: readonly string[];
  readonly message: string;
}

/** Adds the violated rules to the issues of a schema. */
export function addIssues(rules: readonly TargetRule[], context: z.core.$RefinementCtx): void {
  for (const { path, message } of rules) context.addIssue({ code: 'custom', message, path: [...path] });
}

/** Returns the violated rules of an event that needs a webhook or a target. */
export function webhookOrTargetRules(event: Called): readonly TargetRule[] {
  const isNamed = isGiven(event.webhook) || isGiven(event.target);
  const missing = { path: ['webhook'], message: 'missing argument "webhook"; give a webhook or a target' };
  return [...(isNamed ? [] : [missing]), ...targetRules(event)];
}

/** The name of the target in queues, limits and lists: `operation:<collection>.<name>` or `function:<source>.<schema>.<name>`. */
export function targetDestination({ operation, function: called }: CallTarget): string {
  const parts =
    operation === undefined
      ? [called?.source ?? 'default', called?.function.schema ?? '', called?.function.name ?? '']
      : [operation.collection, operation.name];
  // Destinations of webhooks end at these characters, and may have templates.
  const name = parts.map((part) => part.replace(/[/?#{}%\s]/g, encodeURIComponent)).join('.');
  return `${operation === undefined ? 'function' : 'operation'}:${name}`;
}
