/** The query of all triggers with their states, which every page of triggers shares. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../api/context.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { calledBy } from './trigger-state.ts';
import { readTriggers, type TriggerEntry, type TriggerName } from './triggers-api.ts';

export function useTriggers() {
  const client = useClient();
  return useQuery({
    queryKey: ['triggers', 'stats'],
    queryFn: ({ signal }) => readTriggers(client, signal),
    refetchInterval: adaptiveInterval,
  });
}

/** What the commands on triggers and their events change. */
export const triggerQueries = [['triggers'], ['metadata']] as const;

/** The definition of a trigger in the metadata. */
export interface DefinedTrigger {
  readonly table: { readonly schema: string; readonly name: string };
  readonly trigger: TriggerEntry;
}

/** Returns a function that names what a trigger calls. It returns an empty text while the metadata is read. */
export function useCalled(): (trigger: TriggerName) => string {
  const { data } = useSources();
  return useMemo(() => {
    const entries = (data ?? []).flatMap(({ name: source, tables }) =>
      tables.flatMap(({ event_triggers: triggers }) =>
        (triggers ?? []).map((trigger) => [keyOf({ source, name: trigger.name }), calledBy(trigger)] as const),
      ),
    );
    const called = new Map(entries);
    return (trigger) => called.get(keyOf(trigger)) ?? '';
  }, [data]);
}

function keyOf({ source, name }: TriggerName): string {
  return JSON.stringify([source, name]);
}

/** Returns the definition of a trigger. `data` is undefined while loading; `found` where the trigger does not exist. */
export function useDefinition({ source, name }: TriggerName) {
  const { data, error, refetch } = useSources();
  const found = useMemo(() => {
    const tables = data?.find((one) => one.name === source)?.tables ?? [];
    const [first] = tables.flatMap(({ table, event_triggers: triggers }): readonly DefinedTrigger[] => {
      const trigger = triggers?.find((one) => one.name === name);
      return trigger === undefined ? [] : [{ table, trigger }];
    });
    return first;
  }, [data, source, name]);
  return { isLoaded: data !== undefined, found, error, refetch };
}
