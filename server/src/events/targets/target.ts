/** Targets of events other than webhooks, parsed, and the call of one. */
import type { CallTarget, FunctionTarget, OperationTarget } from '@joinery/metadata/schema/events/targets';
import type { Cancellation } from '../../base/cancellation.ts';
import { parseJson } from '../../base/json-value.ts';
import { type SessionVariables, templateInput } from '../../base/templates/transform.ts';
import { type Inputs, readInputs, readTexts, renderInputs, renderTexts, type TextTemplates } from './inputs.ts';

/** A target with its templates parsed. */
export type ParsedTarget =
  | {
      readonly kind: 'operation';
      readonly written: OperationTarget;
      readonly session: TextTemplates;
      readonly inputs: Inputs | undefined;
    }
  | { readonly kind: 'function'; readonly written: FunctionTarget; readonly inputs: Inputs | undefined };

/** The call of a target for an event. */
export interface TargetEvent {
  /** The event, or the first one of a batch. */
  readonly id: string;
  readonly target: ParsedTarget;
  /** The body that a webhook would receive, as JSON text. */
  readonly body: string;
  /** The session variables of the changes of an event trigger, as JSON strings. */
  readonly sessions: readonly string[];
  /** The session variables for templates. */
  readonly session: SessionVariables;
}

/** The inputs of a call, with all templates filled. */
export interface FilledTarget {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly session: readonly (readonly [name: string, value: string])[];
}

/** A call whose templates are filled. */
export interface TargetCall extends TargetEvent {
  readonly filled: FilledTarget;
  /** Aborted when the node stops, and after the time limit. */
  readonly signal: Cancellation;
}

/** The outcome of a call and its log entry. */
export interface TargetResult {
  /** `error` and `dead` end the event, whatever retries it has left; `failed` is retried. */
  readonly outcome: 'delivered' | 'failed' | 'error' | 'dead';
  /** The status of an HTTP response with this result. */
  readonly status: number;
  /** The text of the response, which is logged. */
  readonly response: string;
}

/** Runs an operation or calls a function once. Never rejects. */
export type CallTargets = (call: TargetCall) => Promise<TargetResult>;

const where = { inputs: { operation: '.operation.variables', function: '.function.arguments' } } as const;
const sessionPath = '.operation.session_variables';

/** Parses the templates of a target. Throws a TemplateError with paths from the target. */
export function parseTarget({ operation, function: called }: CallTarget): ParsedTarget {
  if (operation !== undefined) {
    const { variables, session_variables: session } = operation;
    return {
      kind: 'operation',
      written: operation,
      session: readTexts(session ?? {}, sessionPath),
      inputs: variables ? readInputs(variables, where.inputs.operation) : undefined,
    };
  }
  if (called === undefined) throw new TypeError('a target without an operation and a function');
  const inputs = called.arguments ? readInputs(called.arguments, where.inputs.function) : undefined;
  return { kind: 'function', written: called, inputs };
}

/** Fills the templates of the target. Throws a TemplateError. */
export function fillTarget({ id, target, body, session }: TargetEvent): FilledTarget {
  const input = templateInput({ $body: parseJson(body), $event_id: id }, session);
  return {
    variables: renderInputs(target.inputs, where.inputs[target.kind], input),
    session: target.kind === 'operation' ? renderTexts(target.session, sessionPath, input) : [],
  };
}

/** Returns the call as it is logged, as JSON value. */
export function describeCall(target: ParsedTarget, variables: unknown): Readonly<Record<string, unknown>> {
  if (target.kind === 'operation') {
    const { collection, name, role } = target.written;
    return { operation: { collection, name, role, variables } };
  }
  const { source, function: called } = target.written;
  return { function: { source: source ?? 'default', ...called, arguments: variables } };
}
