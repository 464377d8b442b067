/** Chooses the kind of object that a relationship leads to. */
import { NativeSelect } from '@mantine/core';
import { type TargetKind, targetLabels } from './definition-draft.ts';

interface TargetChoiceProps {
  readonly value: TargetKind;
  readonly targets: readonly TargetKind[];
  readonly onChange: (kind: TargetKind) => void;
}

export function TargetChoice({ value, targets, onChange }: TargetChoiceProps) {
  return (
    <NativeSelect
      label="Leads to"
      value={value}
      data={targets.map((kind) => ({ value: kind, label: targetLabels[kind] }))}
      onChange={(event) => onChange(event.currentTarget.value as TargetKind)}
    />
  );
}
