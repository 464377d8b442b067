/** The rows that prevent an import, by line. */
import { Alert, Stack, Text } from '@mantine/core';
import { counted, sentence } from '../../../ui/format.ts';
import { AlertIcon } from '../../../ui/page/icons.tsx';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import classes from './import.module.css';
import { type LineError, MAX_ERRORS } from './prepare-import.ts';

interface LineErrorsProps {
  readonly errors: readonly LineError[];
  readonly isJson: boolean;
}

export function LineErrors({ errors, isJson }: LineErrorsProps) {
  const isCut = errors.length >= MAX_ERRORS;
  return (
    <Alert role="alert" color="red" variant="outline" icon={<AlertIcon />} title="Nothing was imported">
      <Stack gap="xs">
        <Text size="sm">
          {isCut ? `The first ${counted(errors.length, 'error')}:` : `${counted(errors.length, 'error')}:`}
        </Text>
        <div className={classes.scroll}>
          <PlainTable
            rows={errors}
            keyOf={(_error, index) => index}
            columns={[
              { key: 'line', header: isJson ? 'Row' : 'Line', cell: ({ line }) => line, isNumber: true },
              { key: 'column', header: 'Column', cell: ({ column }) => column ?? '' },
              { key: 'message', header: 'Error', cell: ({ message }) => sentence(message) },
            ]}
          />
        </div>
      </Stack>
    </Alert>
  );
}
