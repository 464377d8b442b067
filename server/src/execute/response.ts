/** The envelope of an answer: what is known of it when it is planned, and what each run fills in. */
import { printJson } from '../base/json.ts';
import type { OperationPlan } from '../plan/plan.ts';

export interface Envelope {
  /** What stands before each member's value: `{"data":{"album":`, `,"artist":`, ... */
  readonly before: readonly string[];
  /** JSON texts of the members that are known; undefined for those that are run. */
  readonly texts: readonly (string | undefined)[];
}

export function envelopeOf({ roots }: OperationPlan): Envelope {
  return {
    before: roots.map(({ alias }, index) => `${index === 0 ? '{"data":{' : ','}${JSON.stringify(alias)}:`),
    texts: roots.map((root) => (root.kind === 'constant' ? printJson(root.value) : undefined)),
  };
}

/** The body with the JSON `texts` of all members, in order. */
export function printBody({ before }: Envelope, texts: readonly (string | undefined)[]): string {
  if (before.length === 0) return '{"data":{}}';
  let body = '';
  for (let index = 0; index < before.length; index += 1) body += `${before[index]}${texts[index] ?? 'null'}`;
  return `${body}}}`;
}
