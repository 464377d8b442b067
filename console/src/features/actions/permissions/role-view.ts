/** What a role that may call an action sees of its output. Pure. */
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { tableNamed } from '../../../shared/relationships/relationship-target.ts';
import { sameTable, tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import { actionPath } from '../action-paths.ts';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { definitionOf, outputTypes } from '../sdl/action-types.ts';

/** One relationship as a role sees it. */
export interface JoinedView {
  /** Such as `PlacedOrder.customer`. */
  readonly field: string;
  readonly sees: boolean;
  /** The columns, or why there is nothing. */
  readonly text: string;
  /** The page of the permission within the console. */
  readonly to: string;
}

/** Lists the relationships of all output types. An inherited role has the permissions of its members. */
export function joinedViews(action: Action, metadata: ActionsMetadata, role: string): readonly JoinedView[] {
  const { exported } = metadata;
  const roles = role === 'admin' ? undefined : membersOf(role, exported);
  return outputTypes(action, metadata.types).flatMap((type) =>
    (type.relationships ?? []).map((relationship) => {
      const field = `${type.name}.${relationship.name}`;
      return { field, ...viewOf(definitionOf(relationship), exported, roles) };
    }),
  );
}

function membersOf(role: string, { inherited_roles = [] }: ExportedMetadata, seen: readonly string[] = []): string[] {
  const members = inherited_roles?.find(({ role_name }) => role_name === role)?.role_set ?? [];
  const inherited = members.flatMap((one) =>
    seen.includes(one) ? [] : membersOf(one, { inherited_roles } as ExportedMetadata, [...seen, role]),
  );
  return [role, ...inherited];
}

type View = Omit<JoinedView, 'field'>;

/** `roles` is undefined for admin. */
function viewOf(
  { to_source, to_remote_schema, to_action }: ReturnType<typeof definitionOf>,
  { sources, remote_schemas = [], actions = [] }: ExportedMetadata,
  roles: readonly string[] | undefined,
): View {
  if (to_remote_schema !== undefined) {
    const { remote_schema: name } = to_remote_schema;
    const to = `/remotes/of/${encodeURIComponent(name)}?tab=permissions`;
    if (roles === undefined) return { sees: true, text: 'all fields', to };
    const permissions = remote_schemas?.find((one) => one.name === name)?.permissions ?? [];
    const sees = permissions.some((one) => roles.includes(one.role));
    return { sees, text: sees ? 'the fields of its permission' : `no permission on ${name}, if they are enabled`, to };
  }
  if (to_action !== undefined) {
    const to = actionPath(to_action.action, 'permissions');
    const target = actions?.find(({ name }) => name === to_action.action);
    const sees = roles === undefined || (target?.permissions ?? []).some((one) => roles.includes(one.role));
    return { sees, text: sees ? `may call ${to_action.action}` : `may not call ${to_action.action}`, to };
  }
  const { source = 'default', table: written } = to_source ?? {};
  const table = tableNamed(written);
  if (table === undefined) return { sees: true, text: 'as the function permits', to: '/data' };
  const to = tablePath(source, table, 'permissions');
  if (roles === undefined) return { sees: true, text: 'all columns', to };
  const entry = sources
    .find(({ name }) => name === source)
    ?.tables?.find((one) => sameTable(tableNamed(one.table) ?? { schema: '', name: '' }, table));
  const found = (entry?.select_permissions ?? []).filter((one) => roles.includes(one.role));
  if (found.length === 0) return { sees: false, text: `no select permission on ${tableLabel(table)}`, to };
  return { sees: true, text: columnsText(found.map(({ permission }) => permission.columns)), to };
}

function columnsText(lists: readonly unknown[]): string {
  if (lists.includes('*')) return 'all columns';
  const names = [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list.map(String) : [])))];
  return names.length === 0 ? 'no column' : names.join(', ');
}
