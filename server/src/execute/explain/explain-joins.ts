/** Explains the joins of an operation: their keys, and the statement, request or call that fetches their values. */
import { isInterfaceType, isObjectType } from 'graphql';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { FieldPlan, JoinPlan, OutputPlan, RemoteTarget, RowsTarget } from '../../plan/plan/query.ts';
import type { RemoteMember } from '../../plan/plan/remote.ts';
import { bind, compile } from '../../postgres/sql/sql.ts';
import { keyTypes, printJoin } from '../../print/roots.ts';
import type { ExecuteContext } from '../context/context.ts';
import { bindings } from '../context/statement.ts';
import { nodesOf, type Shape } from '../join/key-collector.ts';
import { joinDocument, KeyName } from '../remote/join-document.ts';
import { withSession } from '../remote/session-values.ts';

export interface ExplainedJoin {
  /** Response keys from the root to the joined field. */
  readonly path: readonly string[];
  /** The columns, or fields of a handler's response, that contain the keys. */
  readonly keys: readonly string[];
  readonly target:
    | {
        readonly kind: 'statement';
        readonly source: string;
        readonly table: string;
        readonly columns: readonly string[];
        /** One statement for all distinct keys, which are its parameters. */
        readonly sql: string;
        /** A list for each part of the key, with one null key. */
        readonly parameters: readonly unknown[];
        /** The plan for the null key. */
        readonly plan?: unknown;
      }
    | {
        readonly kind: 'request';
        readonly remote_schema: string;
        readonly field: readonly string[];
        /** The request for one key, whose parts are printed as `<name>`. Executed for all distinct keys at once. */
        readonly document: string | undefined;
        readonly variables: Readonly<Record<string, unknown>>;
      }
    | { readonly kind: 'call'; readonly action: string; readonly handler: string; readonly batch: number | null };
  readonly joins: readonly ExplainedJoin[];
}

type Path = readonly string[];

/** Returns the joins in rows or an aggregate at `path`. */
export function joinsOfShape(shape: Shape, path: Path, context: ExecuteContext): readonly ExplainedJoin[] {
  if (shape.kind === 'rows') return joinsOfFields(shape.fields, path, context);
  if (shape.kind === 'connection') {
    return nodesOf(shape.connection).flatMap(({ edges, node, fields }) =>
      joinsOfFields(fields, [...path, edges, node], context),
    );
  }
  return shape.aggregate.parts.flatMap((part) =>
    part.kind === 'nodes' ? joinsOfFields(part.fields, [...path, part.alias], context) : [],
  );
}

function joinsOfFields(fields: readonly FieldPlan[], path: Path, context: ExecuteContext): readonly ExplainedJoin[] {
  return fields.flatMap((field): readonly ExplainedJoin[] => {
    const at = [...path, field.alias];
    switch (field.kind) {
      case 'join':
        return [explainJoin(field.join, at, context)];
      case 'object':
      case 'array':
      case 'computedRows':
        return joinsOfFields(field.rows.fields, at, context);
      case 'aggregate':
      case 'connection':
        return joinsOfShape(field, at, context);
      case 'column':
      case 'computed':
      case 'constant':
      case 'nodeId':
      case 'phantom':
        return [];
      default:
        return field satisfies never;
    }
  });
}

/** Returns the joins in a handler's response at `path`. */
export function joinsOfOutput(output: OutputPlan, path: Path, context: ExecuteContext): readonly ExplainedJoin[] {
  const fields = [...(output.fields ?? []), ...(output.members ?? []).flatMap((member) => member.fields)];
  return fields.flatMap((field): readonly ExplainedJoin[] => {
    const at = [...path, field.alias];
    if (field.kind === 'field') return joinsOfOutput(field.output, at, context);
    return field.kind === 'join' ? [explainJoin(field.join, at, context)] : [];
  });
}

/** Returns the joins in a remote schema's response at `path`. */
export function joinsOfMembers(
  members: readonly RemoteMember<JoinPlan>[] | undefined,
  remote: RemoteSchema,
  path: Path,
  context: ExecuteContext,
): readonly ExplainedJoin[] {
  return (members ?? []).flatMap((member): readonly ExplainedJoin[] => {
    const at = [...path, member.alias];
    if (member.kind === 'object') return joinsOfMembers(member.members, remote, at, context);
    if (member.kind !== 'join') return [];
    return [explainJoin(member.join, at, context, (phantom) => fieldOfPhantom(phantom, remote))];
  });
}

/** Returns the field of a phantom, whose alias consists of the type and the field. */
function fieldOfPhantom(phantom: string, { upstream }: RemoteSchema): string {
  const words = phantom.split('_').slice(1);
  for (let end = 1; end < words.length; end += 1) {
    const type = upstream.getType(words.slice(0, end).join('_'));
    const field = words.slice(end).join('_');
    if ((isObjectType(type) || isInterfaceType(type)) && type.getFields()[field] !== undefined) return field;
  }
  return phantom;
}

/** Returns the column of a phantom. */
const columnOfPhantom = (phantom: string): string => phantom.replace(/^\W+/, '');

/** Returns the statement, request or call of a join at `path`. */
export function explainJoin(
  { keys, target }: JoinPlan,
  path: Path,
  context: ExecuteContext,
  nameOf = columnOfPhantom,
): ExplainedJoin {
  const names = keys.map(({ name }) => nameOf(name));
  switch (target.kind) {
    case 'table':
      return { path, keys: names, target: explainRows(target, context), joins: joinsOfRows(target, path, context) };
    case 'remote':
      return {
        path,
        keys: names,
        target: explainRemote(target, names, context),
        joins: joinsOfMembers(target.members, target.remote, path, context),
      };
    case 'action': {
      const { action, batch = null, output } = target;
      const call = { kind: 'call', action: action.name, handler: action.handler, batch } as const;
      return { path, keys: names, target: call, joins: joinsOfOutput(output, path, context) };
    }
    default:
      return target satisfies never;
  }
}

function explainRows(target: RowsTarget, context: ExecuteContext): ExplainedJoin['target'] {
  const { want, source, match } = target;
  const { table } = want.shape === 'aggregate' ? want.aggregate.rows : want.rows;
  const statement = compile(printJoin(target, context.settings));
  const inputs = Object.fromEntries(keyTypes(target).map((_type, part) => [`keys${part}`, [null]]));
  return {
    kind: 'statement',
    source,
    table: `${table.schema}.${table.name}`,
    columns: match.map(({ name }) => name),
    sql: statement.text,
    parameters: bind(statement, bindings(context, inputs)),
  };
}

function joinsOfRows({ want }: RowsTarget, path: Path, context: ExecuteContext): readonly ExplainedJoin[] {
  const shape: Shape =
    want.shape === 'aggregate'
      ? { kind: 'aggregate', aggregate: want.aggregate }
      : { kind: 'rows', fields: want.rows.fields };
  return joinsOfShape(shape, path, context);
}

function explainRemote(
  target: RemoteTarget,
  names: readonly string[],
  context: ExecuteContext,
): ExplainedJoin['target'] {
  const key = names.map((name) => new KeyName(name));
  const sent = joinDocument(target, [key], withSession(target.session, context), () => undefined);
  return {
    kind: 'request',
    remote_schema: target.remote.name,
    field: target.path.map((step) => step.field),
    document: sent?.query,
    variables: sent?.variables ?? {},
  };
}
