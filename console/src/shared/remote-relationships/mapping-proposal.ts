/** Proposes the keys that columns of a table equal, or that arguments of a function are passed. Pure. */
import type { KeyOwner } from '../remote-fields/argument-values.ts';
import { suggestedKey, whyUnfitColumn } from '../remote-fields/join-key.ts';
import type { DefinitionDraft } from './definition-draft.ts';
import type { MappingKey, MappingRow } from './mapping-fields.tsx';

/** A column of a table, or an argument of a function. */
export interface Mapped {
  readonly name: string;
  readonly type: string;
  /** An argument without a default. */
  readonly isRequired: boolean;
}

type Proposal = Pick<DefinitionDraft, 'rows' | 'shape'>;

/**
 * Returns pairs for the primary key, as of `customerId` with `customer.id`, or for a column that names the owner, as of `id`
 * with `order.customer_id`. Undefined when names do not match.
 */
export function proposedColumns(
  owner: KeyOwner,
  table: string,
  columns: readonly Mapped[],
  primaryKey: readonly string[],
): Proposal | undefined {
  const keyColumns = columns.filter(({ name }) => primaryKey.includes(name));
  const byKey = pairs(owner, table, keyColumns);
  if (byKey.length > 0 && byKey.length === primaryKey.length) return { shape: 'object', rows: byKey };
  const naming = columns.filter(({ name }) => !primaryKey.includes(name));
  const [byName] = pairs(owner, table, naming).filter(({ from }) => from === 'id');
  return byName && { shape: 'array', rows: [byName] };
}

/** Returns pairs for the arguments whose names match keys. Undefined when none does. */
export function proposedArguments(
  owner: KeyOwner,
  called: string,
  given: readonly Mapped[],
  shape: DefinitionDraft['shape'],
): Proposal | undefined {
  const rows = pairs(owner, called, given);
  return rows.length === 0 ? undefined : { shape, rows };
}

function pairs(owner: KeyOwner, subject: string, mapped: readonly Mapped[]): readonly MappingRow[] {
  return mapped
    .flatMap(({ name, type }) => {
      const isFit = (key: KeyOwner['keys'][number]) => whyUnfitColumn(key, 'column', type) === undefined;
      const found = suggestedKey(name, owner.keys, { subjects: [subject], owner: owner.name }, isFit);
      return found?.isCertain === true ? [{ from: found.key.name, to: name }] : [];
    })
    .map((row, key) => ({ key, ...row }));
}

/** Returns the keys with the columns or arguments that they fit. */
export function mappingKeys(
  owner: KeyOwner,
  mapped: readonly Mapped[],
  what: 'column' | 'argument',
): readonly MappingKey[] {
  return owner.keys.map((key) => ({
    field: key.name,
    type: key.type,
    columns: mapped.map(({ name, type }) => {
      const problem = whyUnfitColumn(key, what, type);
      return { column: name, type, ...(problem !== undefined && { problem }) };
    }),
  }));
}
