/** The envelope of an answer: what is known of it when it is planned, and what each run fills in. */
import { printJson } from '../../base/json-value.ts';
import type { OperationPlan, RootPlan } from '../../plan/plan/operation.ts';
import type { FieldError } from './field-errors.ts';

export interface Envelope {
  /** What stands before each member's value: `{"data":{"album":`, `,"artist":`, `},"shop":{"author":`, ... */
  readonly before: readonly string[];
  /** What stands behind the last: `}}`, and `}` more inside of a namespace. */
  readonly after: string;
  /** JSON texts of the members that are known; undefined for those that are run. */
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

/** Where a root stands in the operation, for errors. */
export function pathOfRoot({ alias, namespace }: Pick<RootPlan, 'alias' | 'namespace'>): string {
  return namespace === undefined ? `$.selectionSet.${alias}` : `$.selectionSet.${namespace}.selectionSet.${alias}`;
}

/** Where a root stands in the answer. */
export function responsePathOf({ alias, namespace }: Pick<RootPlan, 'alias' | 'namespace'>): readonly string[] {
  return namespace === undefined ? [alias] : [namespace, alias];
}

/** The body of an answer of which nothing stands. */
export const voidBody = '{"data":null}';

/** `body` with its errors behind the data; `write` makes of an error what the caller may see of it. */
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

/** The body with the JSON `texts` of all members, in order. */
export function printBody({ before, after }: Envelope, texts: readonly (string | undefined)[]): string {
  if (before.length === 0) return '{"data":{}}';
  let body = '';
  for (let index = 0; index < before.length; index += 1) body += `${before[index]}${texts[index] ?? 'null'}`;
  return body + after;
}
