/** The members of every object of the metadata, read from its schema. */
import { Metadata } from '@joinery/metadata/metadata';
import { strayMembers } from '@joinery/metadata/schema/members';
import { PostgresSource, Source } from '@joinery/metadata/schema/sources';
import type { z } from 'zod';

interface Members {
  readonly supported: Set<string>;
  /** Members that are stored and have no effect. */
  readonly stored: Set<string>;
}

/** Returns the members by the path of their object, such as `sources[].tables[]`; `.*` stands for any name. */
function metadataMembers(): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>();
  collect(Metadata, '', [], found);
  return found;
}

function collect(schema: z.ZodType, path: string, above: readonly z.ZodType[], found: Map<string, Members>): void {
  if (above.includes(schema)) return;
  const below = (inner: z.ZodType, deeper: string): void =>
    collect(inner === Source ? PostgresSource : inner, deeper, [...above, schema], found);
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type !== 'object') {
    for (const [inner, suffix] of innerSchemas(def)) below(inner as z.ZodType, `${path}${suffix}`);
    return;
  }
  const here = found.get(path) ?? { supported: new Set(), stored: new Set() };
  found.set(path, here);
  for (const [name, member] of Object.entries(def.shape)) {
    // Only the service writes it, for stored event triggers that it cannot read.
    if (name === 'unread') continue;
    const isStored = strayMembers(schema, { [name]: 'probe' }).some((one) => one.path.length === 1);
    (isStored ? here.stored : here.supported).add(name);
    if (!isStored) below(member as z.ZodType, path === '' ? name : `${path}.${name}`);
  }
}

/** Returns the schemas directly within a schema, with what they add to the path. */
function innerSchemas(def: z.core.$ZodTypes['_zod']['def']): readonly (readonly [z.core.$ZodType, string])[] {
  switch (def.type) {
    case 'array':
      return [[def.element, '[]']];
    case 'record':
      return [[def.valueType, '.*']];
    case 'union':
      return def.options.map((option) => [option, ''] as const);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return [[def.innerType, '']];
    case 'pipe':
      return [[(def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, '']];
    case 'lazy':
      return [[def.getter(), '']];
    default:
      return [];
  }
}

/** Returns the rows of docs/from-hasura-metadata.md. */
export function memberRows(): readonly string[] {
  const list = (names: ReadonlySet<string>): string =>
    [...names]
      .sort()
      .map((name) => `\`${name}\``)
      .join(', ');
  // Objects with equal members are one row.
  const rows = new Map<string, string[]>();
  for (const [path, { supported, stored }] of metadataMembers()) {
    const cells = `${list(supported)} | ${list(stored)}`;
    rows.set(cells, [...(rows.get(cells) ?? []), path === '' ? 'the metadata' : `\`${path}\``]);
  }
  return [...rows].map(([cells, paths]) => `| ${paths.join(', ')} | ${cells} |`);
}
