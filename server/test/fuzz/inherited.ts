/**
 * A role that inherits from two others: their permissions, and the same once more in plain SQL, as one view for each
 * table. A column that one parent alone grants is null in the rows that the parent does not see.
 */

export const heir = { role_name: 'heir', role_set: ['first_parent', 'second_parent'] };

interface Parent {
  readonly columns: readonly string[];
  /** The row rule as metadata, and as SQL about the row `t`. */
  readonly filter: unknown;
  readonly where: string;
}

const inTeams = { _in: 'X-Service-Teams' };
const me = { _eq: 'X-Service-User-Id' };

/** By table: what the first parent grants, and what the second does. Both grant the primary key. */
const parents: Readonly<Record<string, readonly [Parent, Parent]>> = {
  team: [
    { columns: ['id', 'name'], filter: { id: inTeams }, where: 't.id = any (seen.teams())' },
    { columns: ['id', 'region', 'budget'], filter: { region: { _eq: 'north' } }, where: "t.region = 'north'" },
  ],
  person: [
    {
      columns: ['id', 'team_id', 'name', 'age', 'active', 'tags', 'ident'],
      filter: { team_id: inTeams },
      where: 't.team_id = any (seen.teams())',
    },
    {
      columns: ['id', 'manager_id', 'name', 'age', 'score', 'big', 'born', 'seen', 'profile', 'feel'],
      filter: { _or: [{ id: me }, { manager: { id: me } }, { tasks: { points: { _eq: 9 } } }] },
      where: `t.id = seen.caller() or t.manager_id = seen.caller()
        or exists (select from task where task.person_id = t.id and task.points = 9)`,
    },
  ],
  task: [
    {
      columns: ['id', 'person_id', 'title', 'done'],
      filter: { person: { team_id: inTeams } },
      where: 'exists (select from person p where p.id = t.person_id and p.team_id = any (seen.teams()))',
    },
    {
      columns: ['id', 'points', 'weight', 'done'],
      filter: { points: { _lte: 'X-Service-Level' } },
      where: 't.points <= seen.level()',
    },
  ],
  membership: [
    {
      columns: ['person_id', 'team_id', 'level', 'since'],
      filter: { level: { _lte: 'X-Service-Level' } },
      where: 't.level <= seen.level()',
    },
    {
      columns: ['person_id', 'team_id', 'until'],
      filter: {
        since: { _clt: 'until' },
        _exists: { _table: 'gate', _where: { open: { _eq: true }, level: { _lte: 'X-Service-Level' } } },
      },
      where: 't.since < t.until and exists (select from gate where open and gate.level <= seen.level())',
    },
  ],
};

function parentsOf(name: string): readonly [Parent, Parent] {
  const found = parents[name];
  if (found === undefined) throw new RangeError(`no parents for ${name}`);
  return found;
}

/** The permissions of both parents. */
export function parentPermissions(shape: {
  readonly name: string;
  readonly rowLimit: number | undefined;
}): readonly unknown[] {
  return parentsOf(shape.name).map(({ columns, filter }, index) => ({
    role: heir.role_set[index],
    // The heir has the larger limit.
    permission: {
      columns,
      filter,
      allow_aggregations: true,
      ...(shape.rowLimit !== undefined && { limit: shape.rowLimit - index }),
    },
  }));
}

/** The name under which the views have the stored value of a column beside what the role sees of it. */
export function storedName(column: string): string {
  return `stored ${column}`;
}

const views = Object.entries(parents).map(([name, both]) => {
  const [first, second] = both;
  const columns = [...new Set([...first.columns, ...second.columns])];
  const list = columns.flatMap((column) => {
    const granting = both.filter((parent) => parent.columns.includes(column));
    if (granting.length === both.length) return [`t.${column}`];
    const seen = granting.map(({ where }) => `(${where})`).join(' or ');
    return [`case when ${seen} then t.${column} end as ${column}`, `t.${column} as "${storedName(column)}"`];
  });
  return `create view inherited.${name} as select ${list.join(', ')} from public.${name} t where (${first.where}) or (${second.where});`;
});

export const inheritedViews = `create schema inherited; ${views.join(' ')}`;
