/** Input for the time of an event: now, a time in UTC or any zone, or a delay. */
import { Button, Group, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { WhenDraft } from '../../shared/event-form/event-draft.ts';
import classes from '../../shared/event-form/event-form.module.css';
import { fromZonedInput, type Pass, zonedInput, zones } from '../../shared/event-form/zoned-time.ts';
import { durationOf, fromUtcInput, localText, localZone, relative, utcInput } from '../../ui/time/times.ts';
import { useNow } from '../../ui/time/use-now.ts';
import { readDistance } from './distance.ts';

interface WhenFieldsProps {
  readonly when: WhenDraft;
  /** In seconds. */
  readonly tolerance: number;
  readonly onChange: (when: WhenDraft) => void;
  readonly error: ReactNode;
}

const later: readonly (readonly [label: string, seconds: number])[] = [
  ['In 1 minute', 60],
  ['In 1 hour', 3_600],
  ['In 1 day', 86_400],
];

export function WhenFields({ when, tolerance, onChange, error }: WhenFieldsProps) {
  const now = useNow();
  const note = useId();
  const [distance, setDistance] = useState('');
  const [pass, setPass] = useState<Pass>('earlier');
  const zone = when.zone ?? localZone();
  const shown = when.kind === 'now' ? at(now, zone) : when;
  const read = when.kind === 'now' ? undefined : fromZonedInput(when.local, zone, pass);
  const changeLocal = (local: string, chosen: Pass): void => {
    const ms = fromZonedInput(local, zone, chosen)?.ms;
    onChange({ kind: 'at', local, utc: ms === undefined ? '' : utcInput(ms), ms, zone });
  };
  const changeUtc = (utc: string): void => {
    const ms = fromUtcInput(utc);
    onChange({ kind: 'at', local: ms === undefined ? '' : zonedInput(ms, zone), utc, ms, zone });
  };
  const changeDistance = (text: string): void => {
    setDistance(text);
    const seconds = readDistance(text);
    if (seconds !== undefined) onChange(at(Date.now() + seconds * 1_000, zone));
  };
  const changeZone = (to: string): void => {
    if (when.kind === 'now') onChange({ kind: 'now', zone: to });
    else onChange({ ...when, zone: to, local: when.ms === undefined ? when.local : zonedInput(when.ms, to) });
  };
  const common = {
    type: 'datetime-local',
    step: 1,
    required: true,
    withAsterisk: false,
    'aria-describedby': note,
    error: error !== undefined,
    labelProps: { fw: 400, c: 'dimmed', fz: 'xs' },
  };
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>
        Time{' '}
        <Text span inherit c="var(--mantine-color-error)" aria-hidden="true">
          *
        </Text>
      </legend>
      <div className={classes.times}>
        <TextInput
          {...common}
          label={zone === localZone() ? `Local (${zone})` : zone}
          value={shown.local}
          onChange={(event) => changeLocal(event.currentTarget.value, pass)}
        />
        <TextInput
          {...common}
          label="UTC"
          value={shown.utc}
          onChange={(event) => changeUtc(event.currentTarget.value)}
        />
        <Select
          label="Time zone"
          labelProps={common.labelProps}
          searchable
          allowDeselect={false}
          data={zones}
          limit={50}
          value={zone}
          onChange={(chosen) => chosen !== null && changeZone(chosen)}
          nothingFoundMessage="No such time zone"
        />
        <TextInput
          label="From now"
          labelProps={common.labelProps}
          placeholder="2 hours"
          autoComplete="off"
          value={distance}
          onChange={(event) => changeDistance(event.currentTarget.value)}
          error={
            distance !== '' && readDistance(distance) === undefined
              ? 'Such as 90 min, 2 hours, or 1 day 6 h'
              : undefined
          }
        />
      </div>
      {read?.change === 'twice' && (
        <Group gap="xs" mt={8}>
          <Text size="sm">The clocks show this time twice.</Text>
          <SegmentedControl
            size="xs"
            aria-label="Which of the two times"
            data={[
              { value: 'earlier', label: 'The first' },
              { value: 'later', label: 'The second' },
            ]}
            value={pass}
            onChange={(chosen) => {
              setPass(chosen as Pass);
              changeLocal(shown.local, chosen as Pass);
            }}
          />
        </Group>
      )}
      {read?.change === 'never' && (
        <Text size="sm" mt={8}>
          The clocks skip this time in {zone}; what is meant is the time in UTC.
        </Text>
      )}
      <Group gap={6} mt={8}>
        <Button
          size="compact-sm"
          variant={when.kind === 'now' ? 'filled' : 'default'}
          aria-pressed={when.kind === 'now'}
          onClick={() => onChange({ kind: 'now', zone })}
        >
          Now
        </Button>
        {later.map(([label, seconds]) => (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            fw={400}
            onClick={() => onChange(at(now + seconds * 1_000, zone))}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Text id={note} size="sm" mt={8} c={error === undefined ? 'dimmed' : 'var(--mantine-color-error)'}>
        {error ?? explain(when, now, tolerance)}
      </Text>
    </fieldset>
  );
}

function at(ms: number, zone: string): Extract<WhenDraft, { kind: 'at' }> {
  const whole = Math.floor(ms / 1_000) * 1_000;
  return { kind: 'at', local: zonedInput(whole, zone), utc: utcInput(whole), ms: whole, zone };
}

function explain(when: WhenDraft, now: number, tolerance: number): string {
  if (when.kind === 'now') return 'Called as soon as it is scheduled.';
  if (when.ms === undefined) return 'Give a date and a time.';
  const late = (now - when.ms) / 1_000;
  if (late < 0) return `Called on ${localText(when.ms)}, ${relative(when.ms, now)}.`;
  if (late > tolerance) {
    return `This is ${durationOf(late)} in the past, more than the tolerance of ${durationOf(tolerance)}: it would not be called.`;
  }
  return 'This is in the past: called as soon as it is scheduled.';
}
