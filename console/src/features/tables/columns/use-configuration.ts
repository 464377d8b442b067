/** Writes the configuration of a table, unless somebody else has changed it since it was opened, and tells that it did. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { setConfiguration, type TableConfiguration, type TableEntry } from '../../../shared/sources/sources-api.ts';
import { useSourcesVersion } from '../../../shared/sources/use-sources.ts';
import { useNotify } from '../../../ui/feedback/notifications.tsx';

interface ConfigurationForm {
  readonly source: string;
  readonly entry: TableEntry;
  /** The configuration with what the form has. */
  readonly change: (before: TableConfiguration) => TableConfiguration;
  /** What to tell when it is done. */
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
    /** As `SaveFailure` takes it. */
    saveOver: newer && (() => mutate(newer)),
    error,
    isPending,
  };
}
