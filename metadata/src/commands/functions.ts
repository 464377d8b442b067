/** Tracked functions: track, untrack, customize, and permissions. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { RoleName, type SourceName } from '../names.ts';
import { FunctionConfiguration, type FunctionEntry, QualifiedFunction } from '../schema/functions.ts';
import {
  changeFirst,
  changeSource,
  commentArgument,
  sameTable,
  sourceArgument,
  tableLabel,
  without,
} from './edit/change.ts';
import { type Command, defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';
import { parseWithShortForm } from './edit/short-form.ts';

const functionArguments = { source: sourceArgument, function: QualifiedFunction };

interface Target {
  readonly source: SourceName;
  readonly function: QualifiedFunction;
}

const TrackArguments = z.strictObject({
  ...functionArguments,
  configuration: FunctionConfiguration.nullish(),
  comment: commentArgument,
});
type TrackArguments = z.infer<typeof TrackArguments>;

const UntrackArguments = z.strictObject({ ...functionArguments, cascade: z.boolean().default(false) });

function track(metadata: Metadata, args: TrackArguments): Metadata {
  return changeSource(metadata, args.source, (source) => {
    const functions = source.functions ?? [];
    if (functions.some((one) => sameTable(one.function, args.function))) {
      throw new EditError('already-tracked', `function already tracked: ${tableLabel(args.function)}`);
    }
    if (source.tables.some((one) => sameTable(one.table, args.function))) {
      throw new EditError('not-supported', `table with name ${tableLabel(args.function)} already exists`);
    }
    const entry: FunctionEntry = {
      function: args.function,
      ...(args.configuration && { configuration: args.configuration }),
      ...(args.comment && { comment: args.comment }),
    };
    return { ...source, functions: [...functions, entry] };
  });
}

function untrack(metadata: Metadata, target: Target): Metadata {
  return changeSource(metadata, target.source, (source) => {
    const rest = without(source.functions, (one) => sameTable(one.function, target.function));
    if (rest === undefined) throw notTracked(target);
    return { ...source, functions: rest };
  });
}

function notTracked(target: Target): EditError {
  const message = `function ${tableLabel(target.function)} is not tracked in source "${target.source}"; track it first`;
  return new EditError('not-exists', message, '$.function');
}

function changeFunction(metadata: Metadata, target: Target, change: (entry: FunctionEntry) => FunctionEntry): Metadata {
  return changeSource(metadata, target.source, (source) => {
    const functions = changeFirst(source.functions, (one) => sameTable(one.function, target.function), change);
    if (functions === undefined) throw notTracked(target);
    return { ...source, functions };
  });
}

/** A function as `"search"` or `{ schema, name }`, or as an object with settings. */
export const trackFunction: Command<
  'track_function',
  z.input<typeof QualifiedFunction> | z.input<typeof TrackArguments>
> = {
  name: 'track_function',
  arguments: z.union([TrackArguments, QualifiedFunction]),
  parse: (input) => {
    const args = parseWithShortForm(TrackArguments, 'function', input);
    return {
      apply: (metadata) => track(metadata, args),
      rereads: [{ kind: 'catalog', source: args.source }],
      dependents: 'none',
      needsContext: false,
    };
  },
};

export const untrackFunction: Command<
  'untrack_function',
  z.input<typeof QualifiedFunction> | z.input<typeof UntrackArguments>
> = {
  name: 'untrack_function',
  arguments: z.union([UntrackArguments, QualifiedFunction]),
  parse: (input) => {
    const args = parseWithShortForm(UntrackArguments, 'function', input);
    return {
      apply: (metadata) => untrack(metadata, args),
      rereads: [],
      dependents: args.cascade ? 'drop' : 'reject',
      needsContext: false,
    };
  },
};

export const setFunctionCustomization = defineCommand({
  name: 'set_function_customization',
  arguments: z.strictObject({ ...functionArguments, configuration: FunctionConfiguration }),
  apply: ({ configuration, ...target }, metadata) =>
    changeFunction(metadata, target, (entry) => ({ ...entry, configuration })),
});

const permissionArguments = z.strictObject({ ...functionArguments, role: RoleName });

export const createFunctionPermission = defineCommand({
  name: 'create_function_permission',
  arguments: permissionArguments,
  needsContext: true,
  apply: ({ role, ...target }, metadata, context) =>
    changeFunction(metadata, target, (entry) => {
      const permissions = entry.permissions ?? [];
      if (permissions.some((one) => one.role === role)) {
        const message = `permission of role "${role}" already exists for function ${tableLabel(target.function)} in source: "${target.source}"`;
        throw new EditError('already-exists', message);
      }
      const denied = context?.deniedRows?.(target.source, target.function, role);
      if (denied !== undefined) {
        const message = `role "${role}" may not select from table ${tableLabel(denied)}, whose rows the function returns; create a select permission first`;
        throw new EditError('not-supported', message, '$.role');
      }
      return { ...entry, permissions: [...permissions, { role }] };
    }),
});

export const dropFunctionPermission = defineCommand({
  name: 'drop_function_permission',
  arguments: permissionArguments,
  apply: ({ role, ...target }, metadata) =>
    changeFunction(metadata, target, (entry) => {
      const rest = without(entry.permissions, (one) => one.role === role);
      if (rest !== undefined) return { ...entry, permissions: rest };
      const message = `permission of role "${role}" does not exist for function ${tableLabel(target.function)} in source: "${target.source}"`;
      throw new EditError('not-exists', message, '$.role');
    }),
});
