/** Actions above the grid. */

import { Button, Menu } from '@mantine/core';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { DotsIcon, PlusIcon, RefreshIcon } from '../../../ui/page/icons.tsx';
import { type Arrangement, ColumnsMenu } from '../grid/columns-menu.tsx';
import type { RowsScope } from '../row-model/rows-scope.ts';
import { TransferButtons } from './transfer-buttons.tsx';

interface RowsToolbarProps {
  readonly scope: RowsScope;
  /** Number of rows, as far as it is known. */
  readonly total: number | undefined;
  /** Whether changes are not saved. */
  readonly hasChanges: boolean;
  readonly isLoading: boolean;
  readonly arrangement: Arrangement;
  readonly onRole: () => void;
  /** Adds a row in the grid. */
  readonly onInsert: () => void;
  readonly onInsertByForm: () => void;
}

export function RowsToolbar({
  scope,
  total,
  hasChanges,
  isLoading,
  arrangement,
  onRole,
  onInsert,
  onInsertByForm,
}: RowsToolbarProps) {
  const { info, session, refresh } = scope;
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        leftSection={<RefreshIcon size={14} />}
        aria-busy={isLoading}
        onClick={refresh}
      >
        Refresh
      </Button>
      <ColumnsMenu {...arrangement} />
      <ReasonButton
        size="xs"
        variant="default"
        reason={hasChanges ? 'Save or discard the changes first.' : undefined}
        onClick={onRole}
      >
        See as a role
      </ReasonButton>
      <TransferButtons scope={scope} total={total} />
      {info.insertable && session === undefined && (
        <Button.Group>
          <Button size="xs" leftSection={<PlusIcon size={14} />} onClick={onInsert}>
            Insert a row
          </Button>
          <Menu position="bottom-end" shadow="md">
            <Menu.Target>
              <Button size="xs" px={6} aria-label="More ways to insert">
                <DotsIcon size={14} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={onInsertByForm}>Insert by form</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Button.Group>
      )}
    </>
  );
}
