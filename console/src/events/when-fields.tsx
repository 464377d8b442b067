/** The time of an event, in local time and UTC side by side; until it is touched, the moment of sending. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import {
  durationOf,
  fromLocalInput,
  fromUtcInput,
  localInput,
  localText,
  localZone,
  relative,
  utcInput,
} from '../show/times.ts';
import { useNow } from '../show/use-now.ts';
import type { WhenDraft } from './draft.ts';
import classes from './schedule-page.module.css';

interface WhenFieldsProps {
  readonly when: WhenDraft;
  /** Seconds. */
  readonly tolerance: number;
  readonly onChange: (when: WhenDraft) => void;
  readonly error: string | undefined;
}

const later: readonly (readonly [label: string, seconds: number])[] = [
  ['In 1 minute', 60],
  ['In 1 hour', 3_600],
  ['In 1 day', 86_400],
];

export function WhenFields({ when, tolerance, onChange, error }: WhenFieldsProps) {
  const now = useNow();
  const note = useId();
  const shown = when.kind === 'now' ? at(now) : when;
  const changeLocal = (local: string): void => {
    const ms = fromLocalInput(local);
    onChange({ kind: 'at', local, utc: ms === undefined ? '' : utcInput(ms), ms });
  };
  const changeUtc = (utc: string): void => {
    const ms = fromUtcInput(utc);
    onChange({ kind: 'at', local: ms === undefined ? '' : localInput(ms), utc, ms });
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
          label={`Local (${localZone()})`}
          value={shown.local}
          onChange={(event) => changeLocal(event.currentTarget.value)}
        />
        <TextInput
          {...common}
          label="UTC"
          value={shown.utc}
          onChange={(event) => changeUtc(event.currentTarget.value)}
        />
      </div>
      <Group gap={6} mt={8}>
        <Button
          size="compact-sm"
          variant={when.kind === 'now' ? 'filled' : 'default'}
          aria-pressed={when.kind === 'now'}
          onClick={() => onChange({ kind: 'now' })}
        >
          Now
        </Button>
        {later.map(([label, seconds]) => (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            fw={400}
            onClick={() => onChange(at(now + seconds * 1_000))}
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

function at(ms: number): Extract<WhenDraft, { kind: 'at' }> {
  const whole = Math.floor(ms / 1_000) * 1_000;
  return { kind: 'at', local: localInput(whole), utc: utcInput(whole), ms: whole };
}

function explain(when: WhenDraft, now: number, tolerance: number): string {
  if (when.kind === 'now') return 'Called as soon as it is scheduled.';
  if (when.ms === undefined) return 'Give a date and a time.';
  const late = (now - when.ms) / 1_000;
  if (late < 0) return `Called on ${localText(when.ms)}, ${relative(when.ms, now)}.`;
  if (late > tolerance) {
    return `This lies ${durationOf(late)} in the past, more than the tolerance of ${durationOf(tolerance)}: it would not be called.`;
  }
  return 'This lies in the past: called as soon as it is scheduled.';
}
