/** Edits the configuration of a table with conflict detection and a notification. */
import { TableConfiguration as TableConfigurationEntry } from '@joinery/metadata/schema/tables';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { useCommand } from '../../../api/use-command.ts';
import { setConfiguration, type TableConfiguration, type TableEntry } from '../../../shared/sources/sources-api.ts';
import { useSourcesVersion } from '../../../shared/sources/use-sources.ts';
import { type FieldOptions, schemaErrors } from '../../../ui/form/beside-text/schema-errors.ts';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';

interface ConfigurationForm<Draft> {
  readonly source: string;
  readonly entry: TableEntry;
  /** Returns the draft of a configuration. */
  readonly draftOf: (before: TableConfiguration) => Draft;
  /** Applies a draft to the configuration. */
  readonly change: (before: TableConfiguration, draft: Draft) => TableConfiguration;
  /** Returns the field that writes a member. */
  readonly fieldOf: FieldOptions['fieldOf'];
  /** Title of the notification. */
  readonly title: string;
  readonly onDone: () => void;
}

interface Saved<Draft> {
  readonly draft: Draft;
  readonly reading: Reading<TableConfiguration | undefined>;
}

export function useConfiguration<Draft extends object>(options: ConfigurationForm<Draft>) {
  const { source, entry, draftOf, change, fieldOf, title, onDone } = options;
  const { basis, newer } = useEditConflict(entry.configuration, useSourcesVersion());
  const form = useDraftForm({
    initial: draftOf(entry.configuration ?? {}),
    validate: (draft) => schemaErrors(TableConfigurationEntry, change({}, draft), { fieldOf }),
  });
  const command = useCommand(
    (client, { draft, reading: { shown, version } }: Saved<Draft>) =>
      setConfiguration(client, source, entry.table, change(shown ?? {}, draft), version),
    { notice: () => ({ title }), onDone },
  );
  const saveOn = (reading: Saved<Draft>['reading']) => form.onSubmit((draft) => command.run({ draft, reading }));
  return {
    form,
    command,
    submit: saveOn(basis),
    /** See `SaveFailure`. */
    saveOver: newer && saveOn(newer),
  };
}
