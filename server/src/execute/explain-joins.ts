/** The joins that wait in what an operation fetches: what they are keyed by, and what would be fetched for the keys. */
import type { FieldPlan, JoinPlan, OutputPlan } from '../plan/plan.ts';
import { compile } from '../postgres/sql.ts';
import type { PrintSettings } from '../print/printing.ts';
import { printJoin } from '../print/roots.ts';
import type { Shape } from './splice.ts';

export interface ExplainedJoin {
  /** Response keys from the root to the joined field. */
  readonly path: readonly string[];
  /** What the keys are read from: columns, or fields of a handler's answer. */
  readonly keys: readonly string[];
  readonly target:
    | {
        readonly kind: 'statement';
        readonly source: string;
        readonly table: string;
        readonly columns: readonly string[];
        /** One statement for all distinct keys, which are its parameters. */
        readonly sql: string;
      }
    | { readonly kind: 'request'; readonly remote_schema: string; readonly field: readonly string[] }
    | { readonly kind: 'call'; readonly action: string; readonly handler: string; readonly batch: number | null };
  readonly joins: readonly ExplainedJoin[];
}

type Path = readonly string[];

/** Those in rows or an aggregate at `path`. */
export function joinsOfShape(shape: Shape, path: Path, settings: PrintSettings): readonly ExplainedJoin[] {
  if (shape.kind === 'rows') return joinsOfFields(shape.fields, path, settings);
  return shape.aggregate.parts.flatMap((part) =>
    part.kind === 'nodes' ? joinsOfFields(part.fields, [...path, part.alias], settings) : [],
  );
}

function joinsOfFields(fields: readonly FieldPlan[], path: Path, settings: PrintSettings): readonly ExplainedJoin[] {
  return fields.flatMap((field): readonly ExplainedJoin[] => {
    const at = [...path, field.alias];
    switch (field.kind) {
      case 'join':
        return [explainJoin(field.join, at, settings)];
      case 'object':
      case 'array':
      case 'computedRows':
        return joinsOfFields(field.rows.fields, at, settings);
      case 'aggregate':
        return joinsOfShape(field, at, settings);
      case 'column':
      case 'computed':
      case 'constant':
      case 'phantom':
        return [];
      default:
        return field satisfies never;
    }
  });
}

/** Those in a handler's answer at `path`. */
export function joinsOfOutput(output: OutputPlan, path: Path, settings: PrintSettings): readonly ExplainedJoin[] {
  const fields = [...(output.fields ?? []), ...(output.members ?? []).flatMap((member) => member.fields)];
  return fields.flatMap((field): readonly ExplainedJoin[] => {
    const at = [...path, field.alias];
    if (field.kind === 'field') return joinsOfOutput(field.output, at, settings);
    return field.kind === 'join' ? [explainJoin(field.join, at, settings)] : [];
  });
}

function explainJoin({ keys, target }: JoinPlan, path: Path, settings: PrintSettings): ExplainedJoin {
  // A key column that nobody asked for is fetched under a name that tells it.
  const names = keys.map(({ name }) => name.replace(/^\W+/, ''));
  switch (target.kind) {
    case 'table': {
      const { want, source, match } = target;
      const { table } = want.shape === 'aggregate' ? want.aggregate.rows : want.rows;
      const shape: Shape =
        want.shape === 'aggregate'
          ? { kind: 'aggregate', aggregate: want.aggregate }
          : { kind: 'rows', fields: want.rows.fields };
      return {
        path,
        keys: names,
        target: {
          kind: 'statement',
          source,
          table: `${table.schema}.${table.name}`,
          columns: match.map(({ name }) => name),
          sql: compile(printJoin(target, settings)).text,
        },
        joins: joinsOfShape(shape, path, settings),
      };
    }
    case 'remote': {
      const field = target.path.map((step) => step.field);
      return { path, keys: names, target: { kind: 'request', remote_schema: target.remote.name, field }, joins: [] };
    }
    case 'action': {
      const { action, batch = null, output } = target;
      const call = { kind: 'call', action: action.name, handler: action.handler, batch } as const;
      return { path, keys: names, target: call, joins: joinsOfOutput(output, path, settings) };
    }
    default:
      return target satisfies never;
  }
}
