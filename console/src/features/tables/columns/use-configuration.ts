/** Saves the configuration of a table with conflict detection and a notification. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { setConfiguration, type TableConfiguration, type TableEntry } from '../../../shared/sources/sources-api.ts';
import { useSourcesVersion } from '../../../shared/sources/use-sources.ts';
import { useNotify } from '../../../ui/feedback/notifications.tsx';

interface ConfigurationForm {
  readonly source: string;
  readonly entry: TableEntry;
  /** Applies the form to the configuration. */
  readonly change: (before: TableConfiguration) => TableConfiguration;
  /** Title of the notification. */
  readonly title: string;
  readonly onDone: () => void;
}

export function useConfiguration({ source, entry, change, title, onDone }: ConfigurationForm) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const { basis, newer } = useEditConflict(entry.configuration, useSourcesVersion());
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ shown, version }: Reading<TableConfiguration | undefined>) =>
      setConfiguration(client, source, entry.table, change(shown ?? {}), version),
    onSuccess: () => {
      notify({ title });
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  return {
    save: () => mutate(basis),
    /** See `SaveFailure`. */
    saveOver: newer && (() => mutate(newer)),
    error,
    isPending,
  };
}
