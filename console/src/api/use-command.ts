/** Metadata commands as mutations: failures, the notification after success, and the queries to read again. */
import {
  type QueryClient,
  type QueryKey,
  type UseMutationOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { type Notice, notify } from '../ui/feedback/notifications.tsx';
import { currentSubmission } from '../ui/form/unsaved-work.ts';
import type { Client } from './client.ts';
import { useClient } from './context.ts';
import { type Failure, toFailure } from './failure.ts';

/** What follows a command. The callbacks run before the queries are read again. */
export interface CommandEffects<Result, Input> {
  /** The notification after success. */
  readonly notice?: (result: Result, input: Input) => Notice | undefined;
  readonly onDone?: (result: Result, input: Input) => unknown;
  /** Whether the form that ran the command still has unsaved changes after this success, as after a dry run. */
  readonly isUnsaved?: (result: Result) => boolean;
  readonly onFailure?: (failure: Failure, input: Input) => void;
  /**
   * Keys of the queries whose data the command changes, read again after success and after failure. Default: the
   * metadata. `[[]]` for all queries.
   */
  readonly changes?: readonly QueryKey[];
}

export interface CommandState<Result, Input> {
  /** `onDone` follows the success of this run, while its component is mounted. */
  readonly run: (input: Input, onDone?: () => void) => void;
  /** Forgets the result and the failure. */
  readonly reset: () => void;
  /** Of the last run. */
  readonly result: Result | undefined;
  /** Of the last run; with code `conflict` when the metadata changed since the version of `basedOn`. */
  readonly failure: Failure | undefined;
  /** True until the changed queries are read again. */
  readonly isPending: boolean;
  /** Of the last run. */
  readonly input: Input | undefined;
}

type Run<Result, Input> = (client: Client, input: Input) => Promise<Result>;

/** Returns a change that `run` makes by one or more commands. */
export function useCommand<Result, Input = void>(
  run: Run<Result, Input>,
  effects: CommandEffects<Result, Input> = {},
): CommandState<Result, Input> {
  const client = useClient();
  const queries = useQueryClient();
  // A run outside of a submit handler, such as one that overwrites a conflict, saves the form of the run before.
  const onSaved = useRef<() => void>(undefined);
  const saving: CommandEffects<Result, Input> = {
    ...effects,
    onDone: (result, input) => {
      if (effects.isUnsaved?.(result) !== true) onSaved.current?.();
      return effects.onDone?.(result, input);
    },
  };
  const { mutate, reset, data, error, isPending, variables } = useMutation(
    commandMutation(run, saving, { client, queries, notify }),
  );
  return {
    run: (input, then) => {
      onSaved.current = currentSubmission() ?? onSaved.current;
      mutate(input, { onSuccess: () => then?.() });
    },
    reset,
    result: data,
    failure: error ?? undefined,
    isPending,
    input: variables,
  };
}

interface CommandContext {
  readonly client: Client;
  readonly queries: QueryClient;
  readonly notify: (notice: Notice) => void;
}

export function commandMutation<Result, Input>(
  run: Run<Result, Input>,
  { notice, onDone, onFailure, changes = [['metadata']] }: CommandEffects<Result, Input>,
  { client, queries, notify }: CommandContext,
): UseMutationOptions<Result, Failure, Input> {
  return {
    mutationFn: async (input) => {
      try {
        return await run(client, input);
      } catch (error) {
        throw toFailure(error);
      }
    },
    onSuccess: (result, input) => {
      const shown = notice?.(result, input);
      if (shown !== undefined) notify(shown);
      return onDone?.(result, input);
    },
    onError: (failure, input) => onFailure?.(failure, input),
    onSettled: () => Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  };
}
