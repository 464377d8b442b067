/** Random volatile functions: root fields of mutations that change rows of a table and return them. */
import type { Random } from '../../random.ts';
import { functionSql, type Routine, randomRoutine } from './functions.ts';
import { sqlName } from './sources.ts';

export interface Changer extends Routine {
  /** The index of the table whose rows the function changes. */
  readonly target: number;
}

export function randomChanger(random: Random, name: string, target: number): Changer {
  return { ...randomRoutine(random, name), target };
}

/** Returns the statement that creates the function, which sets the owner of some rows. */
export function changerSql(changer: Changer, table: { readonly name: string }): string {
  const { name, step: argument, session } = changer;
  const type = sqlName(table);
  return functionSql(
    name,
    changer,
    undefined,
    `setof ${type}`,
    (_, step, user) => {
      const others = session ? `o.owner is distinct from ${user}` : 'true';
      return `update ${type} o set owner = ${argument === 'none' ? 3 : step} where o.id > 2 and ${others} returning o.*`;
    },
    'volatile',
  );
}
