/** Column presets, which override the input. */

import { ActionIcon, Select, Stack } from '@mantine/core';
import { useRef } from 'react';
import type { JsonObject } from '../../api/json.ts';
import type { RuleTable } from '../../shared/rules/rule-table.ts';
import { ValueField } from '../../shared/rules/value-field.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { presetsOf, withPresets } from './permission-draft.ts';
import classes from './permissions.module.css';

interface PresetsSectionProps {
  readonly table: RuleTable;
  readonly permission: JsonObject;
  readonly onChange: (permission: JsonObject) => void;
}

export function PresetsSection({ table, permission, onChange }: PresetsSectionProps) {
  const presets = presetsOf(permission);
  const addButton = useRef<HTMLButtonElement>(null);
  const taken = new Set(presets.map(([column]) => column));
  const change = (index: number, rows: readonly (readonly [string, unknown])[]): void =>
    onChange(withPresets(permission, [...presets.slice(0, index), ...rows, ...presets.slice(index + 1)]));
  const free = table.columns.find(({ name }) => !taken.has(name));
  return (
    <Stack gap="xs">
      {presets.map(([column, value], index) => {
        const known = table.columns.find(({ name }) => name === column);
        const names = table.columns.map(({ name }) => name).filter((name) => name === column || !taken.has(name));
        return (
          <div key={column} className={classes.preset}>
            <Select
              aria-label="Preset column"
              searchable
              allowDeselect={false}
              data={known === undefined ? [column, ...names] : names}
              value={column}
              error={known === undefined && 'The table has no such column'}
              onChange={(name) => name !== null && change(index, [[name, '']])}
            />
            <ValueField
              label={`Preset value of ${column}`}
              of={known ?? { type: 'text' }}
              value={value}
              onChange={(preset) => change(index, [[column, preset]])}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove the preset of ${column}`}
              onClick={() => {
                change(index, []);
                // The focused button no longer exists.
                addButton.current?.focus();
              }}
            >
              <CrossIcon size={16} />
            </ActionIcon>
          </div>
        );
      })}
      <ReasonButton
        ref={addButton}
        size="compact-sm"
        variant="default"
        leftSection={<PlusIcon size={14} />}
        style={{ alignSelf: 'flex-start' }}
        reason={free === undefined ? 'Every column has a preset.' : undefined}
        onClick={() => free && change(presets.length, [[free.name, '']])}
      >
        Add a preset
      </ReasonButton>
    </Stack>
  );
}
