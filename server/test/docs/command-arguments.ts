/** The arguments of a metadata command as rows of a table, from the JSON Schema of what it accepts. */
import { hasNoEffect } from '@joinery/metadata/schema/members';
import { z } from 'zod';

export interface ArgumentRow {
  /** With the path of the outer argument: `permission.columns`, `fields[].name`. */
  readonly name: string;
  readonly type: string;
  /** As JSON; `required`, or empty for an argument that may be left out. */
  readonly default: string;
}

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: unknown;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Member {
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** A schema may be `false`, which accepts nothing, or `true`. */
type Given = JsonSchema | boolean;

/** Objects within arguments whose members have rows of their own. */
const DEEPEST = 1;
/** Lists and objects within the type of an argument. */
const DEEPEST_TYPE = 3;
const MOST_MEMBERS = 20;
/** Arguments of many commands, which their own pages describe. */
const notExpanded = new Set([
  'headers',
  'request_transform',
  'response_transform',
  'retry_conf',
  'target',
  'signing',
  'validate_input',
]);
const LONGEST_TYPE = 90;
/** Bounds of safe integers, which every integer has. */
const LARGEST_BOUND = 2 ** 53 - 1;

/** Returns the rows of an arguments schema; none if the schema does not name members. */
export function argumentRows(schema: z.ZodType): readonly ArgumentRow[] {
  const root = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Members that are accepted for compatibility and have no effect.
      if (hasNoEffect(zodSchema as unknown as z.ZodType)) jsonSchema.not = {};
    },
  }) as JsonSchema;
  const definitions = root.$defs ?? {};

  function resolved(given: Given): JsonSchema {
    if (typeof given === 'boolean') return given ? {} : { not: {} };
    if (given.$ref === undefined) return given;
    const target = given.$ref === '#' ? root : definitions[given.$ref.replace('#/$defs/', '')];
    return target === undefined ? {} : resolved(target);
  }

  /** The alternatives of a schema, with unions within unions in one list. */
  function alternatives(given: Given, within: readonly JsonSchema[] = []): readonly JsonSchema[] {
    const one = resolved(given);
    if (within.includes(one)) return [];
    if (Array.isArray(one.type)) return one.type.map((type: string) => ({ ...one, type }));
    return (one.anyOf ?? one.oneOf)?.flatMap((other) => alternatives(other, [...within, one])) ?? [one];
  }

  /** Members of all objects that the schema allows; required are those that each of them requires. */
  function membersOf(given: JsonSchema): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    const objects = alternatives(given)
      .map((one) => objectMembers(one))
      .filter((one) => one.size > 0);
    for (const [index, object] of objects.entries()) {
      for (const [name, member] of object) {
        const known = members.get(name);
        const isRequired = member.isRequired && (index === 0 || known?.isRequired === true);
        members.set(name, {
          schema: known === undefined ? member.schema : union(known.schema, member.schema),
          isRequired,
        });
      }
      for (const [name, member] of members) if (!object.has(name)) members.set(name, { ...member, isRequired: false });
    }
    return members;
  }

  function objectMembers(one: JsonSchema): ReadonlyMap<string, Member> {
    if (one.allOf !== undefined) return new Map(one.allOf.flatMap((part) => [...membersOf(part)]));
    const required = new Set(one.required);
    return new Map(
      Object.entries(one.properties ?? {})
        .filter(([, schema]) => !isRejected(schema))
        .map(([name, schema]) => [name, { schema, isRequired: required.has(name) }]),
    );
  }

  /** Members that have the type `never`, or no type, are those that a command rejects with a message of its own. */
  function isRejected(given: JsonSchema): boolean {
    return alternatives(given).every((one) => one.not !== undefined);
  }

  function typeOf(given: JsonSchema, depth: number): string {
    if (depth > DEEPEST_TYPE) return 'any JSON';
    const types = [...new Set(alternatives(given).map((one) => typeOfOne(one, depth)))].filter((one) => one !== '');
    const named = types.length > 1 ? types.filter((one) => one !== 'null') : types;
    return named.length === 0 ? 'any JSON' : named.join(' or ');
  }

  function typeOfOne(one: JsonSchema, depth: number): string {
    if (one.not !== undefined) return '';
    if ('const' in one) return `\`${JSON.stringify(one.const)}\``;
    if (one.enum !== undefined) return one.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
    if (one.allOf !== undefined) return 'object';
    if (one.type === 'array') return `list of ${typeOf(one.items ?? {}, depth + 1)}`;
    if (one.type === 'object') return objectType(one, depth);
    return one.type === undefined ? 'any JSON' : one.type + bounds(one);
  }

  function objectType(one: JsonSchema, depth: number): string {
    const members = objectMembers(one);
    if (members.size === 0) {
      const values = one.additionalProperties;
      const isTyped = typeof values === 'object' && Object.keys(values).length > 0;
      return isTyped && depth < DEEPEST ? `object of ${typeOf(values, depth + 1)}` : 'object';
    }
    const names = [...members].map(([name, { isRequired }]) => `\`${name}${isRequired ? '' : '?'}\``).join(', ');
    return names.length > LONGEST_TYPE ? 'object' : `object with ${names}`;
  }

  function rowsOf(given: JsonSchema, path: string, depth: number): readonly ArgumentRow[] {
    return [...membersOf(given)].flatMap(([name, { schema, isRequired }]) => {
      const { inner, suffix } = innerOf(schema);
      const members = depth < DEEPEST ? membersOf(inner) : new Map<string, Member>();
      const isExpanded =
        !notExpanded.has(name) && members.size > 0 && members.size <= MOST_MEMBERS && !isTable(members);
      const type = notExpanded.has(name) && name !== 'headers' ? 'object' : typeOf(schema, depth);
      const row = {
        name: path + name,
        type: isExpanded ? type.replace(/object with .*/, 'object') : type,
        default: defaultOf(schema, isRequired),
      };
      return isExpanded ? [row, ...rowsOf(inner, `${path}${name}${suffix}.`, depth + 1)] : [row];
    });
  }

  function innerOf(given: JsonSchema): { readonly inner: JsonSchema; readonly suffix: string } {
    const list = alternatives(given).find(({ type, items }) => type === 'array' && items !== undefined);
    if (list?.items !== undefined && membersOf(given).size === 0) return { inner: list.items, suffix: '[]' };
    return { inner: given, suffix: '' };
  }

  return rowsOf(root, '', 0);
}

function union(one: JsonSchema, other: JsonSchema): JsonSchema {
  return JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };
}

/** A table or a function as `{ schema, name }`, which needs no rows. */
function isTable(members: ReadonlyMap<string, Member>): boolean {
  return members.size === 2 && members.has('schema') && members.has('name');
}

function bounds({ minimum, maximum }: JsonSchema): string {
  const least = minimum !== undefined && minimum > -LARGEST_BOUND ? `from ${minimum}` : '';
  const most = maximum !== undefined && maximum < LARGEST_BOUND ? `to ${maximum}` : '';
  const both = [least, most].filter((one) => one !== '').join(' ');
  return both === '' ? '' : ` ${both}`;
}

function defaultOf(schema: JsonSchema, isRequired: boolean): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default)}\``;
  return isRequired ? 'required' : '';
}
