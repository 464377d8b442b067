/** Prints responses: the envelope, which is fixed by the plan, and the values of each execution. */
import { printJson } from '../../base/json-value.ts';
import type { OperationPlan, RootPlan } from '../../plan/plan/operation.ts';
import type { FieldError } from './field-errors.ts';

export interface Envelope {
  /** The text before each member's value: `{"data":{"album":`, `,"artist":`, `},"shop":{"author":`, ... */
  readonly before: readonly string[];
  /** The text after the last value: `}}`, or `}}}` in a namespace. */
  readonly after: string;
  /** JSON texts of constant members; undefined for members that are executed. */
  readonly texts: readonly (string | undefined)[];
}

export function envelopeOf({ roots }: OperationPlan): Envelope {
  return {
    before: roots.map(({ alias, namespace }, index) => {
      const previous = index === 0 ? undefined : roots[index - 1]?.namespace;
      const opened = namespace === undefined || namespace === previous ? '' : `${JSON.stringify(namespace)}:{`;
      const closed = previous === undefined || namespace === previous ? '' : '}';
      return `${index === 0 ? '{"data":{' : `${closed},`}${opened}${JSON.stringify(alias)}:`;
    }),
    after: roots.at(-1)?.namespace === undefined ? '}}' : '}}}',
    texts: roots.map((root) => (root.kind === 'constant' ? printJson(root.value) : undefined)),
  };
}

/** Returns the path of a root in the operation, for errors. */
export function pathOfRoot({ alias, namespace }: Pick<RootPlan, 'alias' | 'namespace'>): string {
  return namespace === undefined ? `$.selectionSet.${alias}` : `$.selectionSet.${namespace}.selectionSet.${alias}`;
}

/** Returns the path of a root in the response. */
export function responsePathOf({ alias, namespace }: Pick<RootPlan, 'alias' | 'namespace'>): readonly string[] {
  return namespace === undefined ? [alias] : [namespace, alias];
}

/** The body of a response without data. */
export const voidBody = '{"data":null}';

/** Adds `errors` to a body. `write` returns the members of an error that the caller may see. */
export function withErrors(
  body: string,
  errors: readonly FieldError[],
  write: (error: FieldError['error']) => Readonly<Record<string, unknown>>,
): string {
  if (errors.length === 0) return body;
  const written = errors.map(({ error, path }) => {
    const { message, ...rest } = write(error);
    return { message, ...(path !== undefined && { path }), ...rest };
  });
  return `${body.slice(0, -1)},"errors":${printJson(written)}}`;
}

/** Prints the body with the JSON `texts` of all members, in order. */
export function printBody({ before, after }: Envelope, texts: readonly (string | undefined)[]): string {
  if (before.length === 0) return '{"data":{}}';
  let body = '';
  for (let index = 0; index < before.length; index += 1) body += `${before[index]}${texts[index] ?? 'null'}`;
  return body + after;
}
