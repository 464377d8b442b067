/** Draft of a target: a saved operation or a function that an event calls in place of a webhook. Pure. */
import { CallTarget } from '@joinery/metadata/schema/events/targets';
import { jsonProblem, parseExactly, printPretty } from '../../api/exact-json.ts';
import type { JsonObject } from '../../api/json.ts';
import { schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import type { Pair } from '../../ui/form/pair-fields.tsx';
import { sentence } from '../../ui/format.ts';

export interface TargetDraft {
  readonly kind: 'operation' | 'function';
  readonly collection: string;
  /** The name of the operation. */
  readonly name: string;
  readonly role: string;
  readonly session: readonly Pair[];
  /** The source of the function. Empty for `default`. */
  readonly source: string;
  /** The schema of the function. Empty for `public`. */
  readonly schema: string;
  /** The name of the function. */
  readonly called: string;
  /** JSON text of the variables or of the arguments. Empty for none. */
  readonly inputs: string;
}

/** Name of a field. `target` is that of errors that no input causes. */
export type TargetField = 'target' | `target.${Exclude<keyof TargetDraft, 'kind'>}`;

export const emptyTarget: TargetDraft = {
  kind: 'operation',
  collection: '',
  name: '',
  role: '',
  session: [],
  source: '',
  schema: '',
  called: '',
  inputs: '',
};

/** Returns the draft of a target. Empty for an invalid one. */
export function targetDraftOf(target: unknown): TargetDraft {
  const { operation, function: called } = CallTarget.safeParse(target).data ?? {};
  if (operation !== undefined) {
    const { collection, name, role, session_variables: session, variables } = operation;
    return {
      ...emptyTarget,
      collection,
      name,
      role,
      session: Object.entries(session ?? {}).map(([variable, text], key) => ({ key, name: variable, text })),
      inputs: inputsText(variables),
    };
  }
  if (called === undefined) return emptyTarget;
  const { source, function: name } = called;
  return {
    ...emptyTarget,
    kind: 'function',
    source: source ?? '',
    schema: name.schema,
    called: name.name,
    inputs: inputsText(called.arguments),
  };
}

function inputsText(inputs: unknown): string {
  return inputs === undefined || inputs === null ? '' : printPretty(inputs);
}

/** Returns the target. `inputs` that are not JSON are absent: `targetErrors` reports them. */
export function readTarget(draft: TargetDraft): JsonObject {
  const inputs =
    draft.inputs.trim() === '' || jsonProblem(draft.inputs) !== undefined ? undefined : parseExactly(draft.inputs);
  const source = draft.source.trim();
  if (draft.kind === 'function') {
    return {
      function: {
        ...(source !== '' && { source }),
        function: { schema: draft.schema.trim() || 'public', name: draft.called.trim() },
        ...(inputs !== undefined && { arguments: inputs }),
      },
    };
  }
  const session = draft.session.filter(({ name, text }) => name.trim() !== '' || text !== '');
  return {
    operation: {
      collection: draft.collection.trim(),
      name: draft.name.trim(),
      role: draft.role.trim(),
      ...(session.length > 0 && {
        session_variables: Object.fromEntries(session.map(({ name, text }) => [name.trim(), text])),
      }),
      ...(inputs !== undefined && { variables: inputs }),
    },
  };
}

/** The fields by the member of a target that they write. */
const fields = {
  'operation.collection': 'target.collection',
  'operation.name': 'target.name',
  'operation.role': 'target.role',
  'operation.session_variables': 'target.session',
  'operation.variables': 'target.inputs',
  'function.source': 'target.source',
  'function.function': 'target.called',
  'function.function.schema': 'target.schema',
  'function.arguments': 'target.inputs',
} as const satisfies Readonly<Record<string, TargetField>>;

/** Returns the field that writes a member of a target, such as `operation.variables.id`. */
export function targetFieldAt(member: string): TargetField {
  const [found] = Object.entries(fields)
    .filter(([prefix]) => member === prefix || (member.startsWith(prefix) && /[.[]/.test(member.charAt(prefix.length))))
    .sort(([one], [other]) => other.length - one.length);
  return found?.[1] ?? 'target';
}

/** Returns the messages by field. */
export function targetErrors(draft: TargetDraft): Readonly<Record<string, string>> {
  const errors = schemaErrors(CallTarget, readTarget(draft), { fieldOf: targetFieldAt });
  const problem = inputsProblem(draft);
  return problem === undefined ? errors : { ...errors, 'target.inputs': sentence(problem) };
}

/** Returns the error of `inputs` that are not JSON. */
export function inputsProblem({ inputs }: TargetDraft): string | undefined {
  return inputs.trim() === '' ? undefined : jsonProblem(inputs);
}

/**
 * Returns JSON text that fills each input with the value of the same name. Empty without inputs. `from` is an
 * expression, such as `$body.payload`.
 */
export function suggestedInputs(names: readonly string[], from: string | undefined): string {
  if (names.length === 0 || from === undefined) return '';
  return printPretty(Object.fromEntries(names.map((name) => [name, `{{${from}.${name}}}`])));
}
