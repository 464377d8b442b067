/** Dialog for the rate and concurrency limits of a destination, across all nodes. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useCommand } from '../../api/use-command.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { setLimits } from './delivery-api.ts';
import { type Destination, readLimit } from './destinations.ts';

interface LimitsDialogProps {
  /** Undefined closes the dialog. */
  readonly destination: Destination | undefined;
  readonly onClose: () => void;
}

export function LimitsDialog({ destination, onClose }: LimitsDialogProps) {
  return (
    <Modal opened={destination !== undefined} onClose={onClose} title="Limits of a destination" centered>
      {destination !== undefined && <LimitsForm destination={destination} onClose={onClose} />}
    </Modal>
  );
}

function LimitsForm({ destination, onClose }: { readonly destination: Destination; readonly onClose: () => void }) {
  const [atOnce, setAtOnce] = useState(destination.settings?.concurrency?.toString() ?? '');
  const [rate, setRate] = useState(destination.settings?.rate_per_second?.toString() ?? '');
  const concurrency = readLimit(atOnce, true);
  const perSecond = readLimit(rate, false);
  const { run, failure, isPending } = useCommand(
    (client, limits: Parameters<typeof setLimits>[2]) => setLimits(client, destination.name, limits),
    {
      notice: () => ({ title: 'Limits changed', text: `${destination.name}, on all nodes within about a second.` }),
      onDone: onClose,
      changes: [['delivery']],
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (concurrency === undefined || perSecond === undefined) return;
    run({ concurrency, rate_per_second: perSecond });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Calls at the same time"
          description={`To ${destination.name}, by all nodes together; empty for the default, 100 by each node.`}
          inputMode="numeric"
          value={atOnce}
          onChange={(event) => setAtOnce(event.currentTarget.value)}
          error={concurrency === undefined ? 'Must be a whole number above zero.' : undefined}
        />
        <TextInput
          label="Calls per second"
          description="By all nodes together; empty for no limit."
          inputMode="decimal"
          value={rate}
          onChange={(event) => setRate(event.currentTarget.value)}
          error={perSecond === undefined ? 'Must be a number above zero.' : undefined}
        />
        {failure !== undefined && <FailureNotice title="The limits were not changed" failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" loading={isPending} disabled={concurrency === undefined || perSecond === undefined}>
            Change the limits
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
