/** Executes the roots of one source with one statement. Its JSON is parsed only where joins have errors. */
import { printJson } from '../../base/json-value.ts';
import { printRoots } from '../../print/roots.ts';
import type { ExecuteContext } from '../context/context.ts';
import { createStatements, runStatement } from '../context/statement.ts';
import { JoinCollector } from '../join/joins.ts';
import { holdsJoins, type Shape } from '../join/key-collector.ts';
import { JoinedRows } from '../join/row-text.ts';
import { mergeableRoots } from '../merge/mergeable.ts';
import { pathOfRoot, responsePathOf } from '../response/response.ts';
import type { RootGroup } from './root-groups.ts';

export type DatabaseGroup = Extract<RootGroup, { kind: 'database' }>;

/** Returns the statement of all roots of the group. */
export const rowsStatement = createStatements<DatabaseGroup>((group, settings, printing) =>
  printRoots(group.roots, settings, printing),
);

const joining = new WeakMap<DatabaseGroup, boolean>();

/** Whether a root of the group contains joins. */
export function joinsFrom(group: DatabaseGroup): boolean {
  const known = joining.get(group);
  if (known !== undefined) return known;
  const found = group.roots.some((root) => holdsJoins(shapeOf(root)));
  joining.set(group, found);
  return found;
}

/** Returns the JSON text of each root, in the order of the group. */
export async function runRows(group: DatabaseGroup, context: ExecuteContext): Promise<readonly string[]> {
  const statement = rowsStatement(group, context.settings);
  const [only, second] = group.roots;
  const path = second === undefined && only !== undefined ? pathOfRoot(only) : '$';
  const mergeable = context.merging && mergeableRoots(statement, group.roots, context.settings);
  const [row = []] = await runStatement(statement, group.source, context, undefined, path, mergeable);
  const texts = group.roots.map((_, index) => row[index] ?? 'null');
  return joinsFrom(group) ? withJoins(group.roots, texts, context) : texts;
}

/** Fills all joins in the JSON `texts` of the roots. */
export async function withJoins(
  roots: DatabaseGroup['roots'],
  texts: readonly string[],
  context: ExecuteContext,
): Promise<readonly string[]> {
  const collector = new JoinCollector();
  const values = roots.map((root, index) => {
    const text = texts[index] ?? 'null';
    const shape = shapeOf(root);
    if (!holdsJoins(shape)) return text;
    return new JoinedRows(shape, text, collector);
  });
  await collector.run(context);
  return values.map((joined, index) => {
    if (typeof joined === 'string') return joined;
    const value = joined.value();
    const root = roots[index];
    if (root !== undefined) context.failures?.locate(value, responsePathOf(root));
    return printJson(value);
  });
}

/** Returns the structure of the JSON of a root. */
export function shapeOf(root: DatabaseGroup['roots'][number]): Shape {
  if (root.kind === 'rows') return { kind: 'rows', fields: root.rows.fields };
  return root.kind === 'connection' ? root : { kind: 'aggregate', aggregate: root.aggregate };
}
