/** Enum types with their values, and forms that change them. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { tableKey, tableLabel } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import type { EnumType } from './enum-types-api.ts';
import { AddValueForm, DropTypeForm, RenameValueForm } from './forms/enum-forms.tsx';
import { NameForm } from './forms/name-form.tsx';
import { typeObject } from './sql/name-sql.ts';

interface EnumTypeListProps {
  readonly source: string;
  readonly types: readonly EnumType[];
}

interface Open {
  readonly form: 'add' | 'value' | 'type' | 'drop';
  readonly type: EnumType;
}

const titles = { add: 'Add a value to', value: 'Rename a value of', type: 'Change', drop: 'Drop' } as const;

export function EnumTypeList({ source, types }: EnumTypeListProps) {
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Stack gap="md">
        {types.map((type) => (
          <Stack key={tableKey(type)} gap={6}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <strong>{tableLabel(type)}</strong>
              {type.columns.length === 0 ? ', of no column' : ` of ${type.columns.join(', ')}`}:{' '}
              {type.values.join(', ')}
            </Text>
            {type.comment !== null && (
              <Text size="sm" c="dimmed">
                {type.comment}
              </Text>
            )}
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setOpen({ form: 'add', type })}>
                Add a value to {tableLabel(type)}
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={`Rename a value of ${tableLabel(type)}`}
                onClick={() => setOpen({ form: 'value', type })}
              >
                Rename a value
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={`Rename or comment type ${tableLabel(type)}`}
                onClick={() => setOpen({ form: 'type', type })}
              >
                Rename or comment
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={`Drop the type ${tableLabel(type)}`}
                onClick={() => setOpen({ form: 'drop', type })}
              >
                Drop the type
              </Button>
            </Group>
          </Stack>
        ))}
      </Stack>
      <DetailDrawer
        subject={open}
        title={({ form, type }) => `${titles[form]} ${tableLabel(type)}`}
        size="form"
        onClose={close}
      >
        {({ form, type }) => {
          const props = { source, type, onClose: close };
          if (form === 'add') return <AddValueForm {...props} />;
          if (form === 'drop') return <DropTypeForm {...props} />;
          return form === 'value' ? (
            <RenameValueForm {...props} />
          ) : (
            <NameForm source={source} noun="type" object={typeObject(type)} onClose={close} />
          );
        }}
      </DetailDrawer>
    </>
  );
}
