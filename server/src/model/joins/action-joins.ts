/** The stage of resolve for relationships of output objects. An invalid one is dropped; the type and its actions stay. */

import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import type { ActionRelationship as WrittenRelationship } from '@joinery/metadata/schema/actions';
import type { JoinDefinition } from '@joinery/metadata/schema/relationships';
import type { Steps } from '../../base/steps.ts';
import type { WrittenObject } from '../actions/custom-types.ts';
import { isList, namedIn, printType } from '../actions/type-expression.ts';
import { arrayOf } from '../predicate/column-types.ts';
import { keyMismatch, typeOfKey } from '../predicate/key-types.ts';
import { choice } from '../remote/arguments.ts';
import type { OutputField, OutputNamed, OutputObject } from '../types/action.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft } from '../types/draft.ts';
import type { Join, JoinKey } from '../types/table.ts';
import { fieldNames, hasAggregate, type JoinOwner, resolveJoin } from './join-target.ts';

/** A field of an output object as a part of a key. */
interface OutputKey extends JoinKey {
  readonly named: OutputNamed;
}

/** The valid relationships of `objects`, by object and name. Reports the others. */
export function* resolveOutputJoins(
  draft: Draft,
  objects: Iterable<WrittenObject>,
): Steps<ReadonlyMap<OutputObject, ReadonlyMap<string, Join>>> {
  const all = new Map<OutputObject, ReadonlyMap<string, Join>>();
  for (const object of objects) {
    yield;
    const joins = yield* joinsOf(draft, object);
    if (joins.size > 0) all.set(object.type, joins);
  }
  return all;
}

function* joinsOf(draft: Draft, { type: object, written, path }: WrittenObject): Steps<ReadonlyMap<string, Join>> {
  const joins = new Map<string, Join>();
  const names = new Set<string>(object.fields.keys());
  const reported = new Set<string>();
  const relationships = written.relationships ?? [];
  if (relationships.length === 0) return joins;
  const owner = ownerOf(object);
  for (const [index, relationship] of relationships.entries()) {
    yield;
    const problems: string[] = [];
    const join = resolveJoin(draft, relationship.name, definitionOf(relationship), owner, problems);
    const fields = fieldNames(relationship.name, isToRows(relationship, join));
    for (const name of fields.filter((field) => names.has(field)).reverse()) {
      problems.unshift(`the type has a field or relationship "${name}" already; choose another name`);
    }
    if (join !== undefined && problems.length === 0) {
      for (const field of fields) names.add(field);
      joins.set(relationship.name, join);
      continue;
    }
    const again = reported.has(relationship.name) || names.has(relationship.name) ? ` at ${index}` : '';
    reported.add(relationship.name);
    draft.report({
      type: 'action_relationship',
      name: `relationship ${relationship.name} of object type ${object.name}${again}`,
      path: `${path}.relationships[${index}]`,
      code: 'invalid-configuration',
      reason: `relationship "${relationship.name}" of object type "${object.name}": ${problems.join('; ')}`,
      definition: relationship,
    });
  }
  return joins;
}

/** The definition of a relationship. The older form is a relationship to a table. */
function definitionOf(written: WrittenRelationship): JoinDefinition {
  if ('definition' in written) return written.definition;
  const { source = DEFAULT_SOURCE, remote_table: table, type: relationship_type, field_mapping } = written;
  return { to_source: { source, table, relationship_type, field_mapping: field_mapping as Record<never, never> } };
}

/** Whether the relationship is to a list of rows, also if it could not be resolved. */
function isToRows(written: WrittenRelationship, join: Join | undefined): boolean {
  return join === undefined ? 'type' in written && written.type === 'array' : hasAggregate(join);
}

function ownerOf(object: OutputObject): JoinOwner<OutputKey> {
  return {
    noun: 'field',
    keys: new Map([...object.fields].map(([name, field]) => [name, keyOf(field)])),
    missing: (name) => `the type has no field "${name}"${choice(object.fields.keys())}`,
    mismatch: (key, other) => {
      const field = object.fields.get(key.name as OutputField['name']);
      const problem = field && outputMismatch(field, other.type, other.what);
      return problem && `"${key.name}" cannot be mapped to ${other.what} "${other.name}": ${problem}`;
    },
  };
}

/** Why `field` cannot be mapped to a column of this type (or to another `what`); undefined if it can. */
export function outputMismatch(field: OutputField, type: ColumnType, what = 'column'): string | undefined {
  return fieldProblem(field) ?? keyMismatch(namedIn(field.type), type, what);
}

function keyOf(field: OutputField): OutputKey {
  const { name, type } = field;
  const named = namedIn(type);
  // `fieldProblem` rejects objects.
  const own = typeOfKey(named) ?? { ...noType, name: named.name };
  return isList(type) ? { name, named, type: arrayOf(own), list: true } : { name, named, type: own };
}

const noType = {
  sqlName: 'record',
  family: 'composite',
  scalar: 'record',
  element: undefined,
  labels: [],
  category: 'P',
} as const;

function fieldProblem({ type }: OutputField): string | undefined {
  if (typeOfKey(namedIn(type)) === undefined) return 'the field is an object, and a key is a scalar or an enum';
  const inner = type.kind === 'nonNull' ? type.of : type;
  if (inner.kind !== 'list' || !isList(inner.of)) return undefined;
  const printed = printType<OutputNamed>(type, (named) => named.name);
  return `the field is a list of lists (${printed}), and keys are single values or a list of them`;
}
