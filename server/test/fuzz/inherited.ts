/**
 * An inherited role: the permissions of its two parent roles, and the same permissions as one SQL view for each table. A
 * column that only one parent role grants is null in the rows that this parent does not see.
 */

export const inheritedRole = { role_name: 'inherited', role_set: ['first_parent', 'second_parent'] };

interface Parent {
  readonly columns: readonly string[];
  /** The row rule as metadata, and as SQL on the row `t`. */
  readonly filter: unknown;
  readonly where: string;
}

const inTeams = { _in: 'X-Service-Teams' };
const ownId = { _eq: 'X-Service-User-Id' };

/** The permissions of the two parent roles by table. Both grant the primary key. */
const parents: Readonly<Record<string, readonly [Parent, Parent]>> = {
  team: [
    { columns: ['id', 'name'], filter: { id: inTeams }, where: 't.id = any (visible.teams())' },
    { columns: ['id', 'region', 'budget'], filter: { region: { _eq: 'north' } }, where: "t.region = 'north'" },
  ],
  person: [
    {
      columns: ['id', 'team_id', 'name', 'age', 'active', 'tags', 'ident'],
      filter: { team_id: inTeams },
      where: 't.team_id = any (visible.teams())',
    },
    {
      columns: ['id', 'manager_id', 'name', 'age', 'score', 'big', 'born', 'seen', 'profile', 'feel'],
      filter: { _or: [{ id: ownId }, { manager: { id: ownId } }, { tasks: { points: { _eq: 9 } } }] },
      where: `t.id = visible.caller() or t.manager_id = visible.caller()
        or exists (select from task where task.person_id = t.id and task.points = 9)`,
    },
  ],
  task: [
    {
      columns: ['id', 'person_id', 'title', 'done'],
      filter: { person: { team_id: inTeams } },
      where: 'exists (select from person p where p.id = t.person_id and p.team_id = any (visible.teams()))',
    },
    {
      columns: ['id', 'points', 'weight', 'done'],
      filter: { points: { _lte: 'X-Service-Level' } },
      where: 't.points <= visible.level()',
    },
  ],
  membership: [
    {
      columns: ['person_id', 'team_id', 'level', 'since'],
      filter: { level: { _lte: 'X-Service-Level' } },
      where: 't.level <= visible.level()',
    },
    {
      columns: ['person_id', 'team_id', 'until'],
      filter: {
        since: { _clt: 'until' },
        _exists: { _table: 'gate', _where: { open: { _eq: true }, level: { _lte: 'X-Service-Level' } } },
      },
      where: 't.since < t.until and exists (select from gate where open and gate.level <= visible.level())',
    },
  ],
};

function parentsOf(name: string): readonly [Parent, Parent] {
  const found = parents[name];
  if (found === undefined) throw new RangeError(`no parents for ${name}`);
  return found;
}

/** Returns the permissions of both parent roles on a table. */
export function parentPermissions(shape: {
  readonly name: string;
  readonly rowLimit: number | undefined;
}): readonly unknown[] {
  return parentsOf(shape.name).map(({ columns, filter }, index) => ({
    role: inheritedRole.role_set[index],
    // The inherited role has the larger limit.
    permission: {
      columns,
      filter,
      allow_aggregations: true,
      ...(shape.rowLimit !== undefined && { limit: shape.rowLimit - index }),
    },
  }));
}

/** Returns the name of the view column with the stored value, in addition to the value that the role sees. */
export function storedName(column: string): string {
  return `stored ${column}`;
}

const views = Object.entries(parents).map(([name, both]) => {
  const [first, second] = both;
  const columns = [...new Set([...first.columns, ...second.columns])];
  const list = columns.flatMap((column) => {
    const granting = both.filter((parent) => parent.columns.includes(column));
    if (granting.length === both.length) return [`t.${column}`];
    const condition = granting.map(({ where }) => `(${where})`).join(' or ');
    return [`case when ${condition} then t.${column} end as ${column}`, `t.${column} as "${storedName(column)}"`];
  });
  return `create view inherited.${name} as select ${list.join(', ')} from public.${name} t where (${first.where}) or (${second.where});`;
});

export const inheritedViews = `create schema inherited; ${views.join(' ')}`;
