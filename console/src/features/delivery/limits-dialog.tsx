/** Dialog for the rate and concurrency limits of a destination, across all nodes. */
import { SetEventDestination } from '@joinery/metadata/api/events/destinations';
import { Stack, TextInput } from '@mantine/core';
import { useCommand } from '../../api/use-command.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { setLimits } from './delivery-api.ts';
import type { Destination } from './destinations.ts';

interface LimitsDialogProps {
  /** Undefined closes the dialog. */
  readonly destination: Destination | undefined;
  readonly onClose: () => void;
}

export function LimitsDialog({ destination, onClose }: LimitsDialogProps) {
  return (
    <Dialog opened={destination !== undefined} onClose={onClose} title="Limits of a destination">
      {destination !== undefined && <LimitsForm destination={destination} onClose={onClose} />}
    </Dialog>
  );
}

interface Draft {
  readonly concurrency: string;
  readonly rate_per_second: string;
}

const fieldOf = byMember({ concurrency: 'concurrency', rate_per_second: 'rate_per_second' });

const messages = {
  concurrency: 'Must be a whole number above zero.',
  rate_per_second: 'Must be a number above zero.',
};

/** Null removes a limit. */
function limitsIn({ concurrency, rate_per_second }: Draft) {
  const limit = (text: string) => (text.trim() === '' ? null : Number(text.trim()));
  return { concurrency: limit(concurrency), rate_per_second: limit(rate_per_second) };
}

function LimitsForm({ destination, onClose }: { readonly destination: Destination; readonly onClose: () => void }) {
  const { settings } = destination;
  const form = useDraftForm({
    initial: {
      concurrency: settings?.concurrency?.toString() ?? '',
      rate_per_second: settings?.rate_per_second?.toString() ?? '',
    },
    validate: (draft) =>
      schemaErrors(SetEventDestination, { destination: destination.name, ...limitsIn(draft) }, { fieldOf, messages }),
    immediate: true,
  });
  const command = useCommand(
    (client, limits: ReturnType<typeof limitsIn>) => setLimits(client, destination.name, limits),
    {
      notice: () => ({ title: 'Limits changed', text: `${destination.name}, on all nodes within about a second.` }),
      onDone: onClose,
      changes: [['delivery']],
    },
  );
  return (
    <form onSubmit={form.onSubmit((draft) => command.run(limitsIn(draft)))} noValidate>
      <Stack gap="md">
        <TextInput
          label="Calls at the same time"
          description={`To ${destination.name}, by all nodes together; empty for the default, 100 by each node.`}
          inputMode="numeric"
          {...form.getInputProps('concurrency')}
        />
        <TextInput
          label="Calls per second"
          description="By all nodes together; empty for no limit."
          inputMode="decimal"
          {...form.getInputProps('rate_per_second')}
        />
        <FormActions
          submit="Change the limits"
          command={command}
          reason={form.invalid}
          failed="The limits were not changed"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
