/** Generates TypeScript types for webhook receivers from the payloads of cron triggers. */

export interface CronPayload {
  readonly name: string;
  readonly payload?: unknown;
}

/** Returns a module with the payload type of each cron trigger by name. */
export function webhookTypes(triggers: readonly CronPayload[]): string {
  const sorted = [...triggers].sort((one, other) => (one.name < other.name ? -1 : 1));
  const entries = sorted.map(({ name, payload }) => `  ${JSON.stringify(name)}: ${typeOf(payload ?? null, '  ')};\n`);
  return `import type { Delivery } from 'joinery/webhooks';

/** What cron triggers send, by their names. */
export interface CronPayloads {
${entries.join('')}}

/** A call of the cron trigger of this name: \`receiver.receive<CronPayloads['nightly']>(body, headers)\`. */
export type CronDelivery<Name extends keyof CronPayloads> = Delivery<CronPayloads[Name]>;
`;
}

/** Infers a type from an example: primitives of any value, lists of the types of their items. */
function typeOf(value: unknown, indent: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const items = [...new Set(value.map((item) => typeOf(item, indent)))];
    return items.length === 0
      ? 'unknown[]'
      : items.length === 1 && /^\w+$/.test(items[0] ?? '')
        ? `${items[0]}[]`
        : `(${items.join(' | ')})[]`;
  }
  if (typeof value !== 'object') return typeof value;
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${indent}  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${typeOf(member, `${indent}  `)};\n`,
  );
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`;
}
